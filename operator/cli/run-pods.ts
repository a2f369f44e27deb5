import { LABEL } from '../api/names.ts';
import { POD, type Pod } from '../kube/kind.ts';
import type { Component } from '../rollout/children.ts';
import type { K8sDeps } from './deps.ts';

/** The API server's own pages; a run may have ten thousand workers. */
const PAGE = 500;

/** The pods of a run; `component`: only those of one kind. */
export async function podsOf({ client, namespace }: K8sDeps, run: string, component?: Component): Promise<readonly Pod[]> {
  const labelSelector = `${LABEL.run}=${run}${component === undefined ? '' : `,${LABEL.component}=${component}`}`;
  const pods: Pod[] = [];
  let page = await client.list(POD, { namespace, labelSelector, limit: PAGE });
  pods.push(...page.items);
  while (page.continueToken !== null) {
    page = await client.list(POD, { namespace, labelSelector, limit: PAGE, continueToken: page.continueToken });
    pods.push(...page.items);
  }
  return pods;
}
