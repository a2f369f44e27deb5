import test from 'ava';
import { fieldVariable, ownContainer, podSecurity, tlsVolume } from '../../../../../operator/rollout/desired/container.ts';
import { restrictionsBroken } from '../../../../support/operator/restricted.ts';
import { PODS } from '../../../../support/operator/run-world.ts';

test('a container of the operator gives up all that it does not need', (t) => {
  const container = ownContainer('x', PODS, { args: ['/app/x.js'] });
  t.deepEqual(restrictionsBroken({ automountServiceAccountToken: false, containers: [container] }), []);
  t.like(container, { name: 'x', image: PODS.image, imagePullPolicy: 'IfNotPresent', command: ['node'], args: ['/app/x.js'] });
});

test('what would keep a pod out of a restricted namespace is seen', (t) => {
  const container = ownContainer('x', PODS, {});
  const brokenWith = (change: object) =>
    restrictionsBroken({
      automountServiceAccountToken: false,
      containers: [{ ...container, securityContext: { ...container.securityContext, ...change } }],
    });
  t.deepEqual(brokenWith({ runAsUser: 65_532 }), ['a fixed user', 'x: runAsUser']);
  t.deepEqual(brokenWith({ allowPrivilegeEscalation: true }), ['x: allowPrivilegeEscalation']);
  t.deepEqual(brokenWith({ capabilities: { drop: [] } }), ['x: capabilities']);
  const volumes = [{ name: 'v', hostPath: { path: '/' } }];
  t.deepEqual(restrictionsBroken({ hostNetwork: true, volumes, containers: [container] }), [
    'hostNetwork',
    'hostPath',
    'a token of the API server',
  ]);
});

test('a pod asks for no user, and for a group only where the cluster gives none', (t) => {
  t.deepEqual(podSecurity(PODS), { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  t.like(podSecurity({ ...PODS, fsGroup: 65_532 }), { fsGroup: 65_532, fsGroupChangePolicy: 'OnRootMismatch' });
});

test('the variables of all pods stand before its own', (t) => {
  const pods = { ...PODS, env: { HTTPS_PROXY: 'http://proxy:3128' } };
  t.deepEqual(ownContainer('x', pods, { env: [fieldVariable('POD_IP', 'status.podIP')] }).env, [
    { name: 'HTTPS_PROXY', value: 'http://proxy:3128' },
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
  ]);
});

test('a role has its own Secret, and workers share one', (t) => {
  const pathsOf = (role: 'coordinator' | 'worker' | 'client') => {
    const { secret } = tlsVolume('a', role);
    return [secret?.secretName, ...(secret?.items ?? []).map(({ path }) => path)];
  };
  t.deepEqual(pathsOf('coordinator'), ['a-coordinator-tls', 'ca.pem', 'coordinator.pem', 'coordinator.key.pem']);
  t.deepEqual(pathsOf('worker'), ['a-worker-tls', 'ca.pem', 'workers.pem', 'workers.key.pem']);
});
