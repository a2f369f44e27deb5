import type { PodSettings } from './rollout/desired/pod-settings.ts';
import type { OperatorSettings } from './settings.ts';

/** Of the image's own user, which volumes are given to where no cluster says otherwise. */
const IMAGE_GROUP = 65_532;

/** What the settings do not say by themselves. */
export interface Surroundings {
  /** The operator's own. */
  readonly namespace: string;
  /** As the API server tells. */
  readonly isOpenShift: boolean;
  /** What is in `extraCaFile`; null where there is none. */
  readonly extraCa: string | null;
}

/** What the settings say of the pods of runs. */
export function podSettingsOf({ pods }: OperatorSettings, { namespace, isOpenShift, extraCa }: Surroundings): PodSettings {
  const { image, imagePullPolicy, imagePullSecrets, openshift, networkPolicy, proxy } = pods;
  const leavesGroup = openshift === 'auto' ? isOpenShift : openshift;
  return {
    image,
    imagePullPolicy,
    imagePullSecrets,
    fsGroup: leavesGroup ? null : IMAGE_GROUP,
    reachableFrom: networkPolicy ? namespace : null,
    extraCa,
    env: proxyVariables(proxy),
  };
}

/** In both spellings, since programs differ in which one they read. Node follows them where it is told to. */
function proxyVariables(proxy: OperatorSettings['pods']['proxy']): Readonly<Record<string, string>> {
  if (proxy === undefined || (proxy.http === '' && proxy.https === '')) return {};
  const pairs = [
    ['HTTP_PROXY', proxy.http],
    ['HTTPS_PROXY', proxy.https],
    ['NO_PROXY', proxy.none],
  ] as const;
  const given = pairs
    .filter(([, value]) => value !== '')
    .flatMap(
      ([name, value]) =>
        [
          [name, value],
          [name.toLowerCase(), value],
        ] as const,
    );
  return { ...Object.fromEntries(given), NODE_USE_ENV_PROXY: '1' };
}
