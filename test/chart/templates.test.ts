import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { RELEASE_LIMIT_MS } from '../../operator/kube/elector.ts';
import { DRAIN_MS, FLUSH_MS } from '../../operator/kube/manager.ts';
import { loadOperatorSettings } from '../../operator/settings.ts';
import { findHelm, NAMESPACE, type Rendered, theOne } from '../support/chart/helm.ts';
import { CLUSTER_WIDE, EVERYTHING, NAMESPACED } from '../support/chart/modes.ts';
import { readCrd, runSchema, validatorOf } from '../support/run-schema.ts';
import { temporaryDir } from '../support/temporary-dir.ts';

const MODES: Readonly<Record<string, object>> = { 'cluster-wide': CLUSTER_WIDE, namespaced: NAMESPACED, everything: EVERYTHING };

interface Container {
  readonly image: string;
  readonly command: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumeMounts?: readonly { readonly name: string }[];
}

interface PodSpec {
  readonly terminationGracePeriodSeconds?: number;
  readonly imagePullSecrets?: readonly { readonly name: string }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly [Container];
  readonly volumes?: readonly { readonly name: string }[];
}

interface Settings {
  readonly watchNamespaces: readonly string[];
  readonly watchNodes: boolean;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly pods: Readonly<Record<string, unknown>>;
  readonly signals: readonly unknown[];
}

function podsOf(objects: readonly Rendered[]): readonly PodSpec[] {
  return objects.flatMap(({ kind, spec }) => {
    if (kind === 'Pod') return [spec as PodSpec];
    return kind === 'Deployment' ? [(spec as { readonly template: { readonly spec: PodSpec } }).template.spec] : [];
  });
}

function operatorPod(objects: readonly Rendered[]): PodSpec {
  const [pod] = podsOf([theOne(objects, 'Deployment', 'operator')]);
  if (pod === undefined) throw new Error('the operator has no pod');
  return pod;
}

function settingsOf(objects: readonly Rendered[]): Settings {
  return parse(theOne(objects, 'ConfigMap', 'operator').data?.['operator.yaml'] ?? '') as Settings;
}

const helm = findHelm();
const rendered = Object.fromEntries(Object.entries(MODES).map(([name, values]) => [name, helm.render(values)]));
const of = (mode: string): readonly Rendered[] => rendered[mode] ?? [];

for (const [mode, values] of Object.entries(MODES)) {
  test(`${mode}: Helm finds nothing wrong`, (t) => {
    t.is(helm.lint(values), null);
  });

  test(`${mode}: each object has a name of its own, a namespace if it belongs to one, and the labels of the chart`, (t) => {
    const keys = of(mode).map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.namespace ?? '', metadata.name].join(' '));
    t.true(keys.length >= 10);
    t.is(new Set(keys).size, keys.length, keys.join('\n'));
    for (const { kind, metadata } of of(mode)) {
      t.is(metadata.namespace === undefined, /^Cluster|^CustomResource/.test(kind), `${kind} ${metadata.name}`);
      t.is(metadata.labels?.['app.kubernetes.io/part-of'], 'rollout', `${kind} ${metadata.name}`);
    }
  });

  test(`${mode}: pods are restricted, with a root that cannot be written, and the operator's name no user`, (t) => {
    for (const { securityContext, containers } of podsOf(of(mode))) {
      t.is(securityContext['runAsNonRoot'], true);
      t.deepEqual(securityContext['seccompProfile'], { type: 'RuntimeDefault' });
      for (const one of containers) {
        t.is(one.securityContext['allowPrivilegeEscalation'], false);
        t.is(one.securityContext['readOnlyRootFilesystem'], true);
        t.deepEqual(one.securityContext['capabilities'], { drop: ['ALL'] });
      }
    }
    const { securityContext, containers } = operatorPod(of(mode));
    t.false(/runAs(?:User|Group)|fsGroup/.test(JSON.stringify([securityContext, containers])));
  });

  test(`${mode}: the operator takes its settings`, async (t) => {
    const file = join(temporaryDir(t), 'operator.yaml');
    writeFileSync(file, theOne(of(mode), 'ConfigMap', 'operator').data?.['operator.yaml'] ?? '');
    const { watchNamespaces, watchNodes, pods } = await loadOperatorSettings(file);
    t.is(pods.image, operatorPod(of(mode)).containers[0].image);
    t.is(watchNodes, watchNamespaces.length === 0);
  });

  test(`${mode}: each mount has its volume`, (t) => {
    for (const { containers, volumes = [] } of podsOf(of(mode)))
      for (const { volumeMounts = [] } of containers)
        for (const { name } of volumeMounts)
          t.true(
            volumes.some((one) => one.name === name),
            name,
          );
  });
}

test('the kind is that of crds/, and is kept when the release goes', (t) => {
  const crd = theOne(of('cluster-wide'), 'CustomResourceDefinition');
  t.deepEqual(crd.spec, readCrd().spec);
  t.is(crd.metadata.annotations?.['helm.sh/resource-policy'], 'keep');
  t.is(theOne(helm.render({ crds: { keep: false } }), 'CustomResourceDefinition').metadata.annotations, undefined);
  t.false(helm.render({ crds: { install: false } }).some(({ kind }) => kind === 'CustomResourceDefinition'));
});

test('the operator is started without a shell, on the settings that are mounted', (t) => {
  const [container] = operatorPod(of('cluster-wide')).containers;
  t.deepEqual(container.command, ['node', '--max-semi-space-size=4', '/app/operator.js']);
  t.deepEqual(container.args, ['--config', '/etc/rollout/operator.yaml']);
  t.is(container.image, 'ghcr.io/rollout-run/rollout:0.1.0');
});

test('namespaced: nothing of the whole cluster but the kind, metrics on localhost, nodes not watched', (t) => {
  const objects = of('namespaced');
  t.deepEqual(
    objects.filter(({ metadata }) => metadata.namespace === undefined).map(({ kind }) => kind),
    ['CustomResourceDefinition'],
  );
  const { watchNamespaces, watchNodes, metrics } = settingsOf(objects);
  t.deepEqual([watchNamespaces, watchNodes, metrics['mode']], [['team-a', 'team-b'], false, 'localhost']);
  t.false(objects.some(({ kind }) => kind === 'Service'));
  for (const namespace of ['team-a', 'team-b'])
    t.is(objects.filter(({ kind, metadata }) => /^Role/.test(kind) && metadata.namespace === namespace).length, 2, namespace);
});

test('namespaced with ClusterRoles: nodes are watched, and rights on runs stay those of the namespaces', (t) => {
  const objects = helm.render({ ...NAMESPACED, rbac: { clusterRoles: true } });
  t.true(settingsOf(objects).watchNodes);
  const wide = objects.filter(({ kind, metadata }) => kind === 'ClusterRoleBinding' && !/nodes|metrics/.test(metadata.name));
  t.deepEqual(wide, []);
});

test('registry, digest, pull secrets, proxy and authorities reach the operator and what it makes', (t) => {
  const objects = of('everything');
  const pod = operatorPod(objects);
  const image = `registry.example.com/mirror/rollout-run/rollout@sha256:${'0'.repeat(64)}`;
  const environment = Object.fromEntries((pod.containers[0].env ?? []).map(({ name, value }) => [name, value]));
  t.is(pod.containers[0].image, image);
  t.deepEqual(pod.imagePullSecrets, [{ name: 'mirror' }, { name: 'own' }]);
  t.is(environment['https_proxy'], 'http://proxy.example.com:3128');
  t.is(environment['HTTPS_PROXY'], environment['https_proxy']);
  t.is(environment['NODE_EXTRA_CA_CERTS'], '/etc/rollout-ca/ca.crt');
  const { pods, signals } = settingsOf(objects);
  t.like(pods, {
    image,
    imagePullSecrets: ['mirror', 'own'],
    openshift: true,
    networkPolicy: true,
    extraCaFile: '/etc/rollout-ca/ca.crt',
  });
  t.like(pods['proxy'], { http: 'http://proxy.example.com:3128', https: 'http://proxy.example.com:3128' });
  t.is(signals.length, 1);
  for (const one of podsOf(objects)) t.regex(one.containers[0].image, /^registry\.example\.com\/mirror\//);
});

test('what is asked for beside the operator is there', (t) => {
  const kinds = new Set(of('everything').map(({ kind }) => kind));
  for (const kind of ['ServiceMonitor', 'PrometheusRule', 'NetworkPolicy', 'PodDisruptionBudget', 'PersistentVolumeClaim', 'Secret'])
    t.true(kinds.has(kind), kind);
  t.notThrows(() => JSON.parse(theOne(of('everything'), 'ConfigMap', 'dashboard').data?.['rollout.json'] ?? ''));
  const plain = new Set(of('cluster-wide').map(({ kind }) => kind));
  for (const kind of ['ServiceMonitor', 'PrometheusRule', 'NetworkPolicy', 'Secret']) t.false(plain.has(kind), kind);
});

test('the bundled Redis is named by a Secret as runs want it, with a password that its settings ask for', (t) => {
  const { stringData = {} } = theOne(of('everything'), 'Secret', 'redis');
  t.is(stringData['url'], `redis://${theOne(of('everything'), 'Service', 'redis').metadata.name}.${NAMESPACE}.svc:6379`);
  t.true((stringData['password'] ?? '').length >= 32);
  t.true(stringData['redis.conf']?.includes(`requirepass ${stringData['password']}\n`));
});

test('what contradicts itself is refused, and the message says what to set', (t) => {
  t.throws(() => helm.render({ leaderElection: { enabled: false } }), { message: /set replicaCount to 1/ });
  t.throws(() => helm.render({ ...NAMESPACED, metrics: { mode: 'secure' } }), { message: /set rbac\.clusterRoles to true/ });
  t.throws(() => helm.render({ rbac: { clusterRoles: false } }), { message: /name them in watchNamespaces/ });
  t.throws(() => helm.render({ metrics: { mode: 'localhost', serviceMonitor: { enabled: true } } }), { message: /metrics\.mode secure/ });
});

test('an operator pod has the time that its orderly end takes, and no less can be given to it', (t) => {
  t.true((operatorPod(of('cluster-wide')).terminationGracePeriodSeconds ?? 0) >= (DRAIN_MS + FLUSH_MS + RELEASE_LIMIT_MS) / 1_000);
  t.throws(() => helm.render({ terminationGracePeriodSeconds: 30 }), { message: /terminationGracePeriodSeconds/ });
});

test('a name that is not known is refused', (t) => {
  t.throws(() => helm.render({ replicas: 2 }), { message: /replicas/ });
  t.throws(() => helm.render({ metrics: { serviceMonitor: { enable: true } } }), { message: /enable/ });
});

test('a default that is an object or a list can be taken away', (t) => {
  const unset = { podSecurityContext: null, resources: null, signals: null, imagePullSecrets: null, watchNamespaces: null };
  const pod = operatorPod(helm.render(unset));
  t.false('securityContext' in pod);
  t.false('resources' in pod.containers[0]);
});

test('the notes tell how to start a run, which the schema allows', (t) => {
  const notes = helm.notes(CLUSTER_WIDE);
  const [, run = ''] = /\n---\n(.*?)\nEND\n/s.exec(notes) ?? [];
  const isRun = validatorOf(runSchema(readCrd()));
  t.true(isRun(parse(run)), `${JSON.stringify(isRun.errors)} in ${notes}`);
  t.regex(helm.notes(NAMESPACED), /kubectl -n team-a apply/);
});
