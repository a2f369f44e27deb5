import test from 'ava';
import { ANNOTATION, API_VERSION, GROUP, KIND, LABEL, PLURAL } from '../../../operator/api/names.ts';
import { MAX_CONCURRENCY, MOST_ATTEMPTS } from '../../../runtime/model/limits.ts';
import { COORDINATOR } from '../../../runtime/settings/coordinator.ts';
import { WORKER } from '../../../runtime/settings/worker.ts';
import { readText } from '../../style/sources.ts';
import { CRD_PATH, type CrdSchema, readCrd, runSchema, schemaAt, schemasIn, validatorOf } from '../../support/run-schema.ts';

const crd = readCrd();
const schema = runSchema(crd);
const all = [...schemasIn(schema)];

/** `kubectl apply` keeps a copy of the object in an annotation, which may have 256 KiB. */
const MOST_BYTES = 200_000;

test('the definition stays small enough for kubectl apply', (t) => {
  t.true(JSON.stringify(crd).length < MOST_BYTES);
  t.true((readText(CRD_PATH) ?? '').length < MOST_BYTES);
});

test('every string, list and map has a bound, so that the cost of the rules has one', (t) => {
  const isBounded = ({ type, maxLength, maxItems, maxProperties, additionalProperties, ...one }: CrdSchema): boolean => {
    if (type === 'string' || one['x-kubernetes-int-or-string'] === true) return maxLength !== undefined;
    if (type === 'array') return maxItems !== undefined;
    return additionalProperties === undefined || maxProperties !== undefined;
  };
  const unbounded = all.filter(([path, one]) => !['apiVersion', 'kind'].includes(path) && !isBounded(one));
  t.deepEqual(
    unbounded.map(([path]) => path),
    [],
  );
  t.true(all.length > 100);
});

test('every field of spec and status is described', (t) => {
  const isPart = (path: string): boolean => /[[{]|template\.metadata\.|resources\./.test(path);
  const plain = all.filter(([path, one]) => /^(spec|status)/.test(path) && !isPart(path) && one.description === undefined);
  t.deepEqual(
    plain.map(([path]) => path),
    [],
  );
});

test('every rule has a message in one line, and a field path that exists', (t) => {
  const rules = all.flatMap(([path, one]) => (one['x-kubernetes-validations'] ?? []).map((rule) => ({ path, one, ...rule })));
  t.true(rules.length >= 20);
  for (const { path, one, rule, message, fieldPath } of rules) {
    t.regex(message ?? '', /^.{20,400}$/, `${path}: ${rule}`);
    if (fieldPath !== undefined) t.truthy(schemaAt(one, fieldPath.slice(1)), `${path}: ${fieldPath}`);
  }
});

test('every default is one that the schema itself allows', (t) => {
  const withDefault = all.filter(([, one]) => one.default !== undefined);
  t.true(withDefault.length >= 20);
  for (const [path, one] of withDefault) t.true(validatorOf(one)(structuredClone(one.default)), path);
});

test('the columns and the scale subresource read fields that there are', (t) => {
  const { additionalPrinterColumns, subresources } = crd.spec.versions[0];
  const paths = [...additionalPrinterColumns.map(({ jsonPath }) => jsonPath), ...Object.values(subresources.scale)];
  for (const path of paths.filter((one) => !one.startsWith('.metadata'))) t.truthy(schemaAt(schema, path.slice(1)), path);
  t.deepEqual(
    additionalPrinterColumns.filter(({ priority }) => priority === undefined).map(({ name }) => name),
    ['Phase', 'Progress', 'Failed', 'Rate', 'Workers', 'Age'],
  );
});

test('limits and defaults are those of the processes', (t) => {
  t.is(schemaAt(schema, 'spec.workers.concurrency').maximum, MAX_CONCURRENCY);
  t.is(schemaAt(schema, 'spec.workers.concurrency').default, WORKER.concurrency.default);
  t.is(schemaAt(schema, 'spec.retry.maxAttempts').maximum, MOST_ATTEMPTS);
  t.is(schemaAt(schema, 'spec.retry.maxAttempts').default, COORDINATOR.maxAttempts.default);
  t.is(`${String(schemaAt(schema, 'spec.backend.requestTimeoutSeconds').default)}s`, WORKER.requestTimeout.default);
  t.deepEqual(schemaAt(schema, 'spec.format.onInvalid').enum, [...COORDINATOR.onInvalid.choices]);
  t.deepEqual(schemaAt(schema, 'spec.format.order').enum, [...COORDINATOR.order.choices]);
});

test('the names of the definition are those that the operator uses', (t) => {
  const { group, names, versions } = crd.spec;
  t.deepEqual([group, names['kind'], names['plural'], `${group}/${versions[0].name}`], [GROUP, KIND, PLURAL, API_VERSION]);
  const own = [...Object.values(LABEL), ...Object.values(ANNOTATION)].filter((one) => !one.startsWith('app.kubernetes.io/'));
  t.true(own.length >= 6);
  for (const one of own) t.true(one.startsWith(`${group}/`), one);
});
