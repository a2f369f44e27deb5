import type { RolloutRun } from '../../api/run.ts';
import type { Container, PodSpec, Volume } from '../../kube/kind.ts';
import { authorityName, configName, type TlsRole, tlsName } from '../children.ts';
import { CA, CERT, KEY } from '../tls-secret.ts';
import { CONFIG_DIR, EXTRA_CA_KEY, TLS_DIR } from './pod-places.ts';
import type { PodSettings } from './pod-settings.ts';

/** What the containers of coordinator, worker and reader have in common. */

const RESTRICTED: NonNullable<Container['securityContext']> = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

export function ownContainer(name: string, pods: PodSettings, rest: Omit<Container, 'name'>): Container {
  return {
    name,
    image: pods.image,
    imagePullPolicy: pods.imagePullPolicy,
    command: ['node'],
    securityContext: RESTRICTED,
    terminationMessagePolicy: 'FallbackToLogsOnError',
    ...rest,
    env: [...Object.entries(variablesOf(pods)).map(([key, value]) => ({ name: key, value })), ...(rest.env ?? [])],
  };
}

function variablesOf({ env, extraCa }: PodSettings): Readonly<Record<string, string>> {
  return extraCa === null ? env : { ...env, NODE_EXTRA_CA_CERTS: `${CONFIG_DIR}/${EXTRA_CA_KEY}` };
}

export function podSecurity({ fsGroup }: PodSettings): NonNullable<PodSpec['securityContext']> {
  const group = fsGroup === null ? {} : { fsGroup, fsGroupChangePolicy: 'OnRootMismatch' };
  return { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' }, ...group };
}

/** A field of the pod as a variable, for `$(NAME)` in arguments. */
export function fieldVariable(name: string, fieldPath: string): { readonly name: string; readonly valueFrom: object } {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}

/** Files of the run's ConfigMap: `settings` under its name for the process, and further authorities. */
export function configVolume(run: string, settings: { readonly key: string; readonly path: string }, { extraCa }: PodSettings): Volume {
  const items = [settings, ...(extraCa === null ? [] : [{ key: EXTRA_CA_KEY, path: EXTRA_CA_KEY }])];
  return { name: 'rollout-config', configMap: { name: configName(run), items } };
}

export const CONFIG_MOUNT: NonNullable<Container['volumeMounts']>[number] = {
  name: 'rollout-config',
  mountPath: CONFIG_DIR,
  readOnly: true,
};

/**
 * The files of the role under the names that the runtime looks for. cert-manager writes into each Secret whoever stands above all others, so
 * that the authority of the run is taken from its own, without its key.
 */
export function tlsVolume(run: string, role: TlsRole, mode: RolloutRun['spec']['certificates']['mode'] = 'selfSigned'): Volume {
  const file = role === 'worker' ? 'workers' : role;
  const own = [
    { key: CERT, path: `${file}.pem` },
    { key: KEY, path: `${file}.key.pem` },
  ];
  const secretName = tlsName(run, role);
  if (mode === 'selfSigned') return { name: 'rollout-tls', secret: { secretName, items: [{ key: CA, path: 'ca.pem' }, ...own] } };
  const authority = { name: authorityName(run), items: [{ key: CERT, path: 'ca.pem' }] };
  return { name: 'rollout-tls', projected: { sources: [{ secret: authority }, { secret: { name: secretName, items: own } }] } };
}

export const TLS_MOUNT: NonNullable<Container['volumeMounts']>[number] = { name: 'rollout-tls', mountPath: TLS_DIR, readOnly: true };
