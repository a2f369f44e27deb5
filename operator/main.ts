import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { systemClock } from '../runtime/base/clock.ts';
import { EXIT, type ExitCode } from '../runtime/base/exit.ts';
import { createLog } from '../runtime/base/log.ts';
import { endSignals } from '../runtime/base/process/hangup.ts';
import { ownVersion } from '../runtime/base/process/own-version.ts';
import { runStandalone, tell } from '../runtime/base/process/standalone.ts';
import { systemRandom } from '../runtime/base/random.ts';
import { kubeCredentials, readKubeConfig } from './kube/credentials.ts';
import { operate } from './operate.ts';
import { loadOperatorSettings } from './settings.ts';

const USAGE = `Usage: node operator.js --config operator.yaml

Makes a coordinator and workers of each RolloutRun of a cluster, replaces workers whose machines go, and ends them with the run.

  --config FILE  settings, as the chart writes them

Exit codes: 0 told to end, 2 usage or settings, 4 the API server cannot be used, 70 a bug`;

const OPTIONS = { config: { type: 'string' }, help: { type: 'boolean', default: false } } as const;

/** The operator's process: works until it is told to end. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  return runStandalone({ name: 'rollout-operator', usage: USAGE }, async () => {
    const { values } = parseArgs({ args: [...argv], options: OPTIONS });
    if (values.help || values.config === undefined) return tell(USAGE, values.help ? EXIT.done : EXIT.usage);
    const settings = await loadOperatorSettings(values.config);
    const stop = new AbortController();
    for (const name of endSignals()) process.on(name, () => stop.abort());
    const log = createLog('operator', settings.logLevel);
    const credentials = kubeCredentials(readKubeConfig(process.env['KUBECONFIG'] ?? null));
    const self = {
      name: process.env['POD_NAME'] ?? hostname(),
      namespace: process.env['POD_NAMESPACE'] ?? credentials.namespace ?? 'default',
    };
    const version = await ownVersion(import.meta.url);
    const { extraCaFile } = settings.pods;
    const extraCa = extraCaFile === undefined ? null : await readFile(extraCaFile, 'utf8');
    return operate({ settings, credentials, extraCa, version, self, stop: stop.signal, clock: systemClock, random: systemRandom, log });
  });
}
