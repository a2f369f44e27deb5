import { RolloutError } from '../base/errors.ts';
import { outputNameProblem } from '../model/output-name.ts';
import type { BACKEND_TYPE, MOCK, OPENAI } from '../settings/backend.ts';
import type { COORDINATOR } from '../settings/coordinator.ts';
import type { Arguments } from '../settings/setting.ts';
import type { WORKER } from '../settings/worker.ts';

/** Arguments that give settings: their names and values follow from the declarations. */
type SettingArguments = Arguments<typeof COORDINATOR> & Arguments<typeof WORKER> & Arguments<typeof OPENAI> & Arguments<typeof MOCK>;

type Backend = (typeof BACKEND_TYPE.choices)[number];

/** What commander hands over for `rollout run`, every value checked by itself; `checkRunArguments` checks them together. */
export interface RunArguments extends SettingArguments {
  readonly backend?: Backend;
  readonly workers: number;
  readonly header: Readonly<Record<string, string>>;
  readonly dryRun: boolean;
  readonly state?: string;
  readonly fresh: boolean;
  readonly force: boolean;
  /** The list has grown: its new lines are run too. */
  readonly extend: boolean;
  readonly json: boolean;
  /** Only of `rollout retry`: failed items run again. */
  readonly failed?: boolean;
  readonly rerunDamaged: boolean;
  /** How long the Redis server may be of no use before the run ends. */
  readonly redisWait: string;
  readonly timing: Readonly<Record<string, string>>;
}

/** The backend that the arguments name together. */
export function chosenBackend(args: Pick<RunArguments, 'backend' | 'baseUrl' | 'dryRun'>): Backend {
  const backend = args.backend ?? (args.baseUrl.length > 0 ? 'openai' : undefined);
  if (backend === 'openai' && args.baseUrl.length === 0) {
    throw new RolloutError('USAGE', '--backend openai needs the address of the model server: add --base-url http://127.0.0.1:8000');
  }
  if (backend === 'mock' && args.baseUrl.length > 0) {
    throw new RolloutError('USAGE', '--backend mock asks no server: leave out --base-url, or --backend mock');
  }
  if (backend !== undefined) return backend;
  if (args.dryRun) return 'mock';
  throw new RolloutError('USAGE', 'say which server answers: --base-url http://127.0.0.1:8000, or try it out with --backend mock');
}

export function checkRunArguments(args: RunArguments): void {
  chosenBackend(args);
  if (args.model !== undefined && args.overrideModel !== undefined) {
    throw new RolloutError(
      'USAGE',
      '--model fills body.model where it is absent, --override-model replaces it everywhere: give one of the two',
    );
  }
  if (args.fresh && args.force)
    throw new RolloutError('USAGE', '--fresh starts over, --force goes on with what is there: give one of the two');
  if (args.fresh && args.extend)
    throw new RolloutError('USAGE', '--fresh starts over, --extend goes on with what is there: give one of the two');
  checkOutputName(args.output);
  if (args.state === '-') throw new RolloutError('USAGE', '--state - is no directory: give the path of one');
}

export function checkOutputName(output: string): void {
  const problem = outputNameProblem(output);
  if (problem !== null) throw new RolloutError('USAGE', `--output${output === '-' ? ' -' : ''} ${problem}`);
}

/** The switches of a coordinator that say what is recorded and runs again. */
export function againSwitches({ failed = false, rerunDamaged }: Pick<RunArguments, 'failed' | 'rerunDamaged'>): readonly string[] {
  return [...(failed ? ['--retry-failed'] : []), ...(rerunDamaged ? ['--rerun-damaged'] : [])];
}
