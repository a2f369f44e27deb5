import type { Container, PodSpec } from '../../../operator/kube/kind.ts';

/** Kinds of volumes that the restricted profile allows, of those that the operator has. */
const VOLUMES = ['name', 'configMap', 'emptyDir', 'persistentVolumeClaim', 'secret'];

/**
 * What keeps a pod out of a namespace with the `restricted` Pod Security Standard, or out of a cluster that gives its pods a user: empty
 * where nothing does. Only the containers of the operator's own are looked at; `isOwn` says which.
 */
export function restrictionsBroken(spec: PodSpec | undefined, isOwn: (name: string) => boolean = () => true): readonly string[] {
  if (spec === undefined) return ['no pod'];
  const containers = [...(spec.initContainers ?? []), ...spec.containers].filter(({ name }) => isOwn(name));
  const text = JSON.stringify([spec.securityContext ?? {}, containers]);
  return [
    ...(containers.length === 0 ? ['no container'] : []),
    ...(/"runAs(?:User|Group)"/.test(text) ? ['a fixed user'] : []),
    ...['hostNetwork', 'hostPID', 'hostIPC'].filter((name) => name in spec),
    ...(spec.volumes ?? []).flatMap((volume) => Object.keys(volume).filter((name) => !VOLUMES.includes(name))),
    ...(spec.automountServiceAccountToken === false ? [] : ['a token of the API server']),
    ...containers.flatMap((container) => brokenBy(container).map((what) => `${container.name}: ${what}`)),
  ];
}

function brokenBy({ securityContext }: Container): readonly string[] {
  const { allowPrivilegeEscalation, capabilities, readOnlyRootFilesystem, runAsNonRoot, seccompProfile, ...rest } = securityContext ?? {};
  return [
    ...(allowPrivilegeEscalation === false ? [] : ['allowPrivilegeEscalation']),
    ...(JSON.stringify(capabilities) === '{"drop":["ALL"]}' ? [] : ['capabilities']),
    ...(readOnlyRootFilesystem === true ? [] : ['readOnlyRootFilesystem']),
    ...(runAsNonRoot === true ? [] : ['runAsNonRoot']),
    ...(seccompProfile?.type === 'RuntimeDefault' ? [] : ['seccompProfile']),
    ...Object.keys(rest),
  ];
}
