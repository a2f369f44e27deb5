import type { Container, PodSpec, Volume } from '../../kube/kind.ts';
import { configName, type TlsRole, tlsName } from '../children.ts';
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

export const CONFIG_MOUNT: NonNullable<Container['volumeMounts']>[number] = { name: 'rollout-config', mountPath: CONFIG_DIR, readOnly: true };

/** The files of the role under the names that the runtime looks for. */
export function tlsVolume(run: string, role: TlsRole): Volume {
  const file = role === 'worker' ? 'workers' : role;
  const items = [
    { key: 'ca.crt', path: 'ca.pem' },
    { key: 'tls.crt', path: `${file}.pem` },
    { key: 'tls.key', path: `${file}.key.pem` },
  ];
  return { name: 'rollout-tls', secret: { secretName: tlsName(run, role), items } };
}

export const TLS_MOUNT: NonNullable<Container['volumeMounts']>[number] = { name: 'rollout-tls', mountPath: TLS_DIR, readOnly: true };
