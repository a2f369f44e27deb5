import type { Rendered } from './helm.ts';

/** By `group/resource` the verbs, in order; the group of the core is empty. */
export type Rights = Readonly<Record<string, readonly string[]>>;

/** What some roles give. */
export function rightsOf(roles: readonly Rendered[]): Rights {
  const given = roles
    .flatMap(({ rules = [] }) => rules)
    .flatMap(({ apiGroups = [], resources = [], verbs }) =>
      apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => [`${group}/${resource}`, verb] as const))),
    );
  return rightsFrom(given);
}

export function rightsFrom(pairs: readonly (readonly [resource: string, verb: string])[]): Rights {
  const rights: Record<string, string[]> = {};
  for (const [resource, verb] of pairs) rights[resource] = [...new Set([...(rights[resource] ?? []), verb])].toSorted();
  return rights;
}

/** Those for users of runs, which the operator has not. */
function isOfUsers({ metadata }: Rendered): boolean {
  return metadata.labels?.['app.kubernetes.io/component'] === 'api';
}

/** Those that the operator has, in all namespaces or in some. */
export function rolesOfOperator(objects: readonly Rendered[]): readonly Rendered[] {
  return objects.filter(
    (one) => (one.kind === 'Role' || one.kind === 'ClusterRole') && !isOfUsers(one) && !one.metadata.name.endsWith('metrics-reader'),
  );
}
