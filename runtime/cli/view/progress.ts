import type { Writable } from 'node:stream';
import { NEW_LOG_THROTTLE, onReason } from '../../base/log-throttle.ts';
import type { RunStatus } from '../../model/status.ts';
import { say } from '../deps.ts';
import { onSettled, type Rate, startRate } from '../status/rate.ts';
import { openItems, settledItems } from '../status/run-status.ts';
import {
  indexingText,
  isNothingIndexed,
  progressLine,
  rateText,
  remainingText,
  runningText,
  whyText,
  workersText,
} from '../status/status-text.ts';
import { createBar } from './bar.ts';
import { drawnBar } from './terminal.ts';

/** Shows where a run stands while it goes on: a bar on a terminal, plain lines into a pipe, JSON lines with --json. */
export interface ProgressView {
  show(status: RunStatus): void;
  /** A line for people that must not be drawn over. */
  notice(line: string): void;
  stop(): void;
}

export interface ViewOutputs {
  /** Bar, plain lines and notices. */
  readonly err: Writable;
  /** A line there may be drawn over. */
  readonly isDrawable: boolean;
  /** JSON lines. */
  readonly out: Writable;
  readonly nowMs: () => number;
}

/** A log of a run of hours stays readable, and a person who looks on sees that it goes on. */
const PLAIN_EVERY_MS = 5_000;
/** Programs read these lines: as fresh as is useful, and still small beside the run. */
const JSON_EVERY_MS = 1_000;

export function createProgressView(outputs: ViewOutputs, isJson: boolean): ProgressView {
  if (isJson) return jsonView(outputs);
  return outputs.isDrawable ? barView(outputs) : plainView(outputs);
}

function jsonView({ err, out, nowMs }: ViewOutputs): ProgressView {
  const clocked = every(JSON_EVERY_MS, nowMs);
  return {
    show: (status) => clocked(status, (rate) => out.write(`${JSON.stringify(progressJson(status, rate))}\n`)),
    notice: (line) => say(err, [line]),
    stop: () => undefined,
  };
}

function plainView({ err, nowMs }: ViewOutputs): ProgressView {
  const clocked = every(PLAIN_EVERY_MS, nowMs);
  let shown = '';
  let throttle = NEW_LOG_THROTTLE;
  return {
    show: (status) =>
      clocked(status, (rate) => {
        const line = progressLine(status, rate);
        const news = newsOf(status, line);
        // A line that says the same again comes with growing gaps.
        const told = onReason(news === shown ? throttle : NEW_LOG_THROTTLE, nowMs(), news);
        if (told.isDue) say(err, [line]);
        [shown, throttle] = [news, told.throttle];
      }),
    notice: (line) => say(err, [line]),
    stop: () => undefined,
  };
}

/** A number, or a whole duration such as `2 min 5 s`. */
const NUMBER = /\d[\d.]*(?: (?:h|min|s)\b(?: \d+ (?:min|s)\b)?)?/g;

/** Times and rates change without anything having happened. */
function newsOf(status: RunStatus, line: string): string {
  return `${status.items} ${settledItems(status)} ${line.replaceAll(NUMBER, '#')}`;
}

interface Shown {
  readonly status: RunStatus;
  readonly rate: Rate;
}

function barView({ err, nowMs }: ViewOutputs): ProgressView {
  const bar = createBar(err, barText);
  let rate: Rate | null = null;
  return {
    show: (status) => {
      const settled = settledItems(status);
      rate = rate === null ? startRate(nowMs(), settled) : onSettled(rate, nowMs(), settled);
      bar.show(settled, status.items, { status, rate });
    },
    notice: (line) => bar.notice(line),
    stop: () => bar.stop(),
  };
}

function barText(share: number, { status, rate }: Shown): string {
  if (isNothingIndexed(status)) return indexingText(status);
  const remaining = remainingText(status, rate);
  const total = status.isIndexed ? `${status.items}` : `${status.items}+`;
  const counts = `${settledItems(status)}/${total}  ${status.done} done  ${status.failed} failed  ${runningText(status)}`;
  const rest = [...(remaining === null ? [] : [remaining]), ...whyText(status), workersText(status)];
  return [`${drawnBar(share)} ${counts}`, `${rateText(rate)}/s`, ...rest].join('  ');
}

/** The first status, then one per `intervalMs`; the rate follows each of them. */
function every(intervalMs: number, nowMs: () => number): (status: RunStatus, write: (rate: Rate) => void) => void {
  let rate: Rate | null = null;
  let shownMs = Number.NEGATIVE_INFINITY;
  return (status, write) => {
    rate = rate === null ? startRate(nowMs(), settledItems(status)) : onSettled(rate, nowMs(), settledItems(status));
    if (nowMs() - shownMs < intervalMs) return;
    shownMs = nowMs();
    write(rate);
  };
}

export function progressJson(status: RunStatus, rate: Rate): Record<string, unknown> {
  const { items, isIndexed, done, failed, running, prefetched, state, epoch, waits, stall } = status;
  return {
    kind: 'progress',
    state: state.kind,
    epoch,
    items,
    isIndexed,
    done,
    failed,
    running,
    prefetched,
    open: openItems(status),
    perSecond: rate.perSecond,
    workers: status.workers.length,
    waits,
    stall,
    detail: status.workers.find((worker) => worker.detail !== '')?.detail ?? '',
  };
}
