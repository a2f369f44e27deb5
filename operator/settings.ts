import * as z from 'zod';
import type { Rules } from '../runtime/base/config/settings.ts';
import { loadSettings } from '../runtime/base/config/settings-file.ts';
import { isHostPort } from '../runtime/base/config/settings-fields.ts';
import { PROVIDERS, SEVERITIES } from '../runtime/model/hint.ts';
import { SIGNAL_ROWS, type SignalRow } from './nodes/signals.ts';
import type { PodSettings } from './rollout/desired/pod-settings.ts';

/** operator.yaml, as the chart writes it. */
export interface OperatorSettings {
  /** Null: all namespaces. */
  readonly namespace: string | null;
  /** Whether nodes may be watched: that takes rights on the whole cluster. */
  readonly seesNodes: boolean;
  /** host:port of /healthz and /readyz. */
  readonly probes: string;
  /** Null: this is the only operator, and nobody is elected. */
  readonly leaderElection: { readonly namespace: string; readonly name: string } | null;
  readonly pods: PodSettings;
  readonly signals: readonly SignalRow[];
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

type File = z.infer<typeof schema>;

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

const schema = z.strictObject({
  namespace: z.string().min(1).nullable().prefault(null),
  watchNodes: z.boolean().prefault(true),
  probes: z
    .string()
    .refine(isHostPort, { error: 'must be host:port, such as 0.0.0.0:8081' })
    .prefault('0.0.0.0:8081'),
  leaderElection: z
    .strictObject({ namespace: z.string().min(1), name: z.string().min(1) })
    .nullable()
    .prefault(null),
  image: z.string().min(1),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).prefault('IfNotPresent'),
  imagePullSecrets: z.array(z.string().min(1)).prefault([]),
  fsGroup: z.int().min(0).nullable().prefault(null),
  env: z.record(z.string(), z.string()).prefault({}),
  signals: z.array(signal).prefault([]),
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).prefault('info'),
});

const RULES: Rules<File> = { schema, check: () => [] };

export async function loadOperatorSettings(path: string): Promise<OperatorSettings> {
  const { watchNodes, image, imagePullPolicy, imagePullSecrets, fsGroup, env, signals, ...same } = await loadSettings(path, RULES);
  return {
    ...same,
    seesNodes: watchNodes,
    pods: { image, imagePullPolicy, imagePullSecrets, fsGroup, env },
    // The user's rows first: of two that say the same, the first one's words are told.
    signals: [...(signals as readonly SignalRow[]), ...SIGNAL_ROWS],
  };
}
