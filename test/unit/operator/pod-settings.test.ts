import test from 'ava';
import { podSettingsOf } from '../../../operator/pod-settings.ts';
import type { OperatorSettings } from '../../../operator/settings.ts';

const PODS: OperatorSettings['pods'] = {
  image: 'rollout:1',
  imagePullPolicy: 'IfNotPresent',
  imagePullSecrets: ['registry'],
  openshift: 'auto',
  networkPolicy: false,
};

const settingsWith = (pods: Partial<OperatorSettings['pods']>, isOpenShift = false) =>
  podSettingsOf({ pods: { ...PODS, ...pods } } as OperatorSettings, { namespace: 'rollout-system', isOpenShift, extraCa: null });

test('images are pulled as the settings say', (t) => {
  t.like(settingsWith({}), { image: 'rollout:1', imagePullPolicy: 'IfNotPresent', imagePullSecrets: ['registry'], env: {} });
});

test('volumes belong to the image’s group, unless the cluster gives each namespace its own', (t) => {
  t.is(settingsWith({}).fsGroup, 65_532);
  t.is(settingsWith({}, true).fsGroup, null);
  t.is(settingsWith({ openshift: true }).fsGroup, null);
  t.is(settingsWith({ openshift: false }, true).fsGroup, 65_532, 'the settings know better');
});

test('a policy names the namespace of the operator, and there is none unless it is wanted', (t) => {
  t.is(settingsWith({}).reachableFrom, null);
  t.is(settingsWith({ networkPolicy: true }).reachableFrom, 'rollout-system');
});

test('proxies are told in both spellings, and only those that are given', (t) => {
  t.deepEqual(settingsWith({ proxy: { http: '', https: 'http://proxy:3128', none: '.svc' } }).env, {
    HTTPS_PROXY: 'http://proxy:3128',
    https_proxy: 'http://proxy:3128',
    NO_PROXY: '.svc',
    no_proxy: '.svc',
    NODE_USE_ENV_PROXY: '1',
  });
  t.deepEqual(settingsWith({ proxy: { http: '', https: '', none: '.svc' } }).env, {}, 'without a proxy there is nothing to keep from it');
});
