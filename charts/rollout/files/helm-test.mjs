// `helm test`: the kind RolloutRun is served, and an operator holds the lease and renews it. With the rights of the operator's account.
import { readFileSync } from 'node:fs';

/** The lease's namespace and name ('' without leader election), and a namespace with runs ('' for all). */
const [namespace, lease, runsNamespace] = process.argv.slice(1);
const MOST_SECONDS = 60;
const token = readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/token', 'utf8');
const server = `https://${process.env.KUBERNETES_SERVICE_HOST}:${process.env.KUBERNETES_SERVICE_PORT}`;

async function ask(path) {
  const answer = await fetch(`${server}${path}`, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function checkLeader() {
  const { spec } = await ask(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${lease}`);
  const seconds = Math.round((Date.now() - Date.parse(spec.renewTime)) / 1000);
  if (!spec.holderIdentity) throw new Error('no operator holds the lease: look at the operator pods');
  if (seconds > MOST_SECONDS)
    throw new Error(`${spec.holderIdentity} has not renewed the lease for ${seconds} s: look at the operator pods`);
  process.stdout.write(`${spec.holderIdentity} works on the runs\n`);
}

const scope = runsNamespace === '' ? '' : `/namespaces/${runsNamespace}`;
const runs = await ask(`/apis/rollout.run/v1alpha1${scope}/rolloutruns?limit=1`);
process.stdout.write(`the kind ${runs.kind.replace(/List$/, '')} is served\n`);
if (lease !== '') await checkLeader();
