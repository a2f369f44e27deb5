import * as z from 'zod';
import type { Rules } from '../runtime/base/config/settings.ts';
import { intervalMs } from '../runtime/base/config/settings-fields.ts';
import { loadSettings } from '../runtime/base/config/settings-file.ts';
import { PROVIDERS, SEVERITIES } from '../runtime/model/hint.ts';
import { SIGNAL_ROWS, type SignalRow } from './nodes/signals.ts';

/** operator.yaml, as the chart writes it: the values of the chart explain each. Durations are in milliseconds. */
export interface OperatorSettings {
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly runsAtOnce: number;
  /** Empty: all. */
  readonly watchNamespaces: readonly string[];
  readonly watchNodes: boolean;
  readonly leaderElection: ElectionSettings;
  readonly metrics: MetricsSettings;
  readonly probes: { readonly port: number };
  readonly pods: RunPodSettings;
  readonly certManager: boolean;
  /** The user's rows first: of two that say the same, the first one's words are told. */
  readonly signals: readonly SignalRow[];
}

interface ElectionSettings {
  readonly enabled: boolean;
  /** Name of the Lease. */
  readonly lease: string;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

export interface MetricsSettings {
  readonly mode: 'secure' | 'localhost';
  readonly port: number;
  readonly tlsDir?: string | undefined;
}

interface RunPodSettings {
  readonly image: string;
  readonly imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  readonly imagePullSecrets: readonly string[];
  readonly openshift: boolean | 'auto';
  readonly networkPolicy: boolean;
  /** File of further authorities, which the pods of runs get as well. */
  readonly extraCaFile?: string | undefined;
  readonly proxy?: { readonly http: string; readonly https: string; readonly none: string } | undefined;
}

const signal = z.strictObject({
  kind: z.enum(['taint', 'condition']),
  key: z.string().min(1),
  value: z.string().optional(),
  message: z.string().optional(),
  severity: z.enum(SEVERITIES),
  provider: z.enum(PROVIDERS).optional(),
  leadSeconds: z.int().min(0).optional(),
  deadlineFrom: z.literal('message').optional(),
});

const port = z.int().min(0).max(65_535);

const election = z.strictObject({
  enabled: z.boolean().prefault(false),
  lease: z.string().min(1).prefault('rollout-operator'),
  leaseDuration: intervalMs().prefault('15s'),
  renewDeadline: intervalMs().prefault('10s'),
  retryPeriod: intervalMs().prefault('2s'),
});

const pods = z.strictObject({
  image: z.string().min(1),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).prefault('IfNotPresent'),
  imagePullSecrets: z.array(z.string().min(1)).prefault([]),
  openshift: z.union([z.boolean(), z.literal('auto')]).prefault('auto'),
  networkPolicy: z.boolean().prefault(false),
  extraCaFile: z.string().optional(),
  proxy: z.strictObject({ http: z.string().prefault(''), https: z.string().prefault(''), none: z.string().prefault('') }).optional(),
});

const metrics = z.strictObject({
  mode: z.enum(['secure', 'localhost']).prefault('localhost'),
  port: port.prefault(8_443),
  tlsDir: z.string().optional(),
});

const schema: z.ZodType<OperatorSettings> = z.strictObject({
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).prefault('info'),
  runsAtOnce: z.int().min(1).max(64).prefault(16),
  watchNamespaces: z.array(z.string().min(1)).prefault([]),
  watchNodes: z.boolean().prefault(true),
  leaderElection: election.prefault({}),
  metrics: metrics.prefault({}),
  probes: z.strictObject({ port: port.prefault(8_081) }).prefault({}),
  pods,
  certManager: z.boolean().prefault(false),
  signals: z.array(signal).prefault([]),
});

const RULES: Rules<OperatorSettings> = {
  schema,
  check: ({ leaderElection: { leaseDuration, renewDeadline, retryPeriod } }) => [
    ...(renewDeadline < leaseDuration ? [] : [{ field: 'leaderElection.renewDeadline', problem: 'must be less than leaseDuration' }]),
    ...(retryPeriod < renewDeadline ? [] : [{ field: 'leaderElection.retryPeriod', problem: 'must be less than renewDeadline' }]),
  ],
};

export async function loadOperatorSettings(path: string): Promise<OperatorSettings> {
  const file = await loadSettings(path, RULES);
  return { ...file, signals: [...file.signals, ...SIGNAL_ROWS] };
}
