import { has, isBlock, valueAt } from './block.ts';

/** Whether a rule holds. A value of another type than the schema says is no concern of a rule: it is told by its type. */
type RuleCheck = (self: unknown) => boolean;

/**
 * The rules of the schema (x-kubernetes-validations) that can be checked without a cluster, by their text. A test holds the table against
 * the definition of the kind.
 */
export const RULE_CHECKS: Readonly<Record<string, RuleCheck>> = {
  'size(self.metadata.name) <= 40': (self) => holdsFor(valueAt(self, 'metadata.name'), (name) => Array.from(name).length <= 40),
  "self.metadata.name.matches('^[a-z][-a-z0-9]*$')": (self) => matches(valueAt(self, 'metadata.name'), /^[a-z][-a-z0-9]*$/),
  "self.backend.type == 'mock' || has(self.backend.baseUrl) || (has(self.workers.template) && has(self.workers.template.spec) && has(self.workers.template.spec.containers) && size(self.workers.template.spec.containers) > 0)":
    (self) =>
      valueAt(self, 'backend.type') === 'mock' ||
      has(self, 'backend.baseUrl') ||
      hasItems(valueAt(self, 'workers.template.spec.containers')),
  'self.coordinator.replicas == 1 || has(self.coordinator.store.redis)': (self) =>
    valueAt(self, 'coordinator.replicas') === 1 || has(self, 'coordinator.store.redis'),
  '!has(self.coordinator.results) || has(self.coordinator.store.redis)': (self) =>
    !has(self, 'coordinator.results') || has(self, 'coordinator.store.redis'),
  "self.matches('^[1-9][0-9]{0,8}(Ki|Mi|Gi)$')": (self) => matches(self, /^[1-9][0-9]{0,8}(?:Ki|Mi|Gi)$/),
  '[has(self.configMap), has(self.pvc), has(self.uri)].exists_one(isSet, isSet)': (self) =>
    ['configMap', 'pvc', 'uri'].filter((name) => has(self, name)).length === 1,
  "!self.startsWith('/') && !('..' in self.split('/'))": (self) =>
    holdsFor(self, (path) => !path.startsWith('/') && !path.split('/').includes('..')),
  "self.matches('^https?://[^/?#]+')": (self) => matches(self, /^https?:\/\/[^/?#]+/),
  "!self.matches('^[a-z]+://[^/?#]*@')": (self) => !isMatch(self, /^[a-z]+:\/\/[^/?#]*@/),
  "self.matches('^[0-9a-f]{64}$')": (self) => matches(self, /^[0-9a-f]{64}$/),
  '!(has(self.port) && has(self.baseUrl))': (self) => !(has(self, 'port') && has(self, 'baseUrl')),
  "!has(self.spec) || ((!has(self.spec.containers) || self.spec.containers.all(one, one.name != 'worker')) && (!has(self.spec.initContainers) || self.spec.initContainers.all(one, one.name != 'worker')) && (!has(self.spec.volumes) || self.spec.volumes.all(one, !one.name.startsWith('rollout-'))))":
    (self) =>
      ![...namesIn(self, 'spec.containers'), ...namesIn(self, 'spec.initContainers')].includes('worker') &&
      !namesIn(self, 'spec.volumes').some((name) => name.startsWith('rollout-')),
  "type(self) == int ? self >= 0 : self.matches('^(100|[0-9]{1,2})%$')": (self) =>
    typeof self === 'number' ? self >= 0 : matches(self, /^(?:100|[0-9]{1,2})%$/),
  'has(self.embedded) != has(self.redis)': (self) => has(self, 'embedded') !== has(self, 'redis'),
  "self.matches('^[0-9]+([.][0-9]+)?(Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E)?$')": (self) =>
    matches(self, /^[0-9]+(?:[.][0-9]+)?(?:Ki|Mi|Gi|Ti|Pi|Ei|k|M|G|T|P|E)?$/),
  'has(self.url) || has(self.secretRef)': (self) => has(self, 'url') || has(self, 'secretRef'),
  "self.matches('^rediss?([+]sentinel)?://[^/?#]+')": (self) => matches(self, /^rediss?(?:[+]sentinel)?:\/\/[^/?#]+/),
  "!self.matches('^[a-z+]+://[^@]*:[^@]*@')": (self) => !isMatch(self, /^[a-z+]+:\/\/[^@]*:[^@]*@/),
  "(self.mode == 'certManager') == has(self.issuerRef)": (self) => (valueAt(self, 'mode') === 'certManager') === has(self, 'issuerRef'),
};

/** The rules that compare a run with what it was before, which the API server alone knows. */
export const SERVER_RULES: ReadonlySet<string> = new Set([
  'self.input == oldSelf.input',
  'has(self.output) == has(oldSelf.output) && (!has(self.output) || self.output == oldSelf.output)',
  'self.format == oldSelf.format',
  'self.coordinator.store == oldSelf.coordinator.store',
  'has(self.backend.model) == has(oldSelf.backend.model) && (!has(self.backend.model) || self.backend.model == oldSelf.backend.model)',
  'has(self.backend.overrideModel) == has(oldSelf.backend.overrideModel) && (!has(self.backend.overrideModel) || self.backend.overrideModel == oldSelf.backend.overrideModel)',
  'has(self.managedBy) == has(oldSelf.managedBy) && (!has(self.managedBy) || self.managedBy == oldSelf.managedBy)',
]);

function holdsFor(value: unknown, holds: (text: string) => boolean): boolean {
  return typeof value !== 'string' || holds(value);
}

function matches(value: unknown, pattern: RegExp): boolean {
  return holdsFor(value, (text) => pattern.test(text));
}

function isMatch(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function hasItems(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function namesIn(self: unknown, path: string): readonly string[] {
  const list = valueAt(self, path);
  const names = Array.isArray(list) ? list.map((one: unknown) => (isBlock(one) ? one['name'] : undefined)) : [];
  return names.filter((name) => typeof name === 'string');
}
