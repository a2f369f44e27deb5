import { say, sayJson } from '../../runtime/cli/deps.ts';
import { createBar } from '../../runtime/cli/view/bar.ts';
import type { RolloutRun } from '../api/run.ts';
import type { CliWorld } from './deps.ts';
import { barLine, countsOf, plainLine, statusJson, terminalOf } from './status-text.ts';
import { troublesOf, troubleText } from './trouble.ts';

/** Shows a run while it goes on: a bar on a terminal, lines into a pipe, JSON lines with --json. */
export interface RunView {
  show(run: RolloutRun): void;
  /** A line that must not be drawn over. */
  notice(line: string): void;
  stop(): void;
}

type Outputs = Pick<CliWorld, 'out' | 'err' | 'isDrawable'>;

export function createRunView(outputs: Outputs, isJson: boolean): RunView {
  if (isJson) return jsonView(outputs);
  return outputs.isDrawable ? barView(outputs) : plainView(outputs);
}

function jsonView({ out, err }: Outputs): RunView {
  let shown = '';
  return {
    show: (run) => {
      const now = JSON.stringify(statusJson(run));
      if (now !== shown) sayJson(out, statusJson(run));
      shown = now;
    },
    notice: (line) => say(err, [line]),
    stop: () => undefined,
  };
}

function plainView({ out }: Outputs): RunView {
  let shown = '';
  const tellTroubles = newTroubles((line) => say(out, [line]));
  return {
    show: (run) => {
      const now = plainLine(run);
      if (now !== shown) say(out, [now]);
      shown = now;
      tellTroubles(run);
    },
    notice: (line) => say(out, [line]),
    stop: () => undefined,
  };
}

function barView({ err }: Outputs): RunView {
  const bar = createBar(err, barLine);
  const tellTroubles = newTroubles((line) => bar.notice(line));
  return {
    show: (run) => {
      tellTroubles(run);
      const counts = countsOf(run);
      bar.show(terminalOf(counts), counts.total ?? 0, run);
    },
    notice: (line) => bar.notice(line),
    stop: () => bar.stop(),
  };
}

/** Each trouble once, as long as it says the same. */
function newTroubles(tell: (line: string) => void): (run: RolloutRun) => void {
  let told: ReadonlySet<string> = new Set();
  return (run) => {
    const troubles = troublesOf(run).map(troubleText);
    for (const one of troubles.filter((text) => !told.has(text))) tell(one);
    told = new Set(troubles);
  };
}
