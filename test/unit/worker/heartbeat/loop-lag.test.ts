import test from 'ava';
import { systemClock } from '../../../../runtime/base/clock.ts';
import { markLag, newLag, takeLagMs } from '../../../../runtime/worker/heartbeat/loop-lag.ts';

function loop(): { lag: SharedArrayBuffer; goOn(toMs: number): void; nowMs: number } {
  const lag = newLag();
  let mark: () => void = () => undefined;
  const self = {
    lag,
    nowMs: 1_000_000,
    goOn: (toMs: number): void => {
      self.nowMs = 1_000_000 + toMs;
      mark();
    },
  };
  const every = (_: number, run: () => void): { stop(): void } => {
    mark = run;
    return { stop: () => undefined };
  };
  markLag(lag, { ...systemClock, monotonicMs: () => self.nowMs, every });
  return self;
}

test('a loop that is on time has no lag', (t) => {
  const one = loop();
  for (let n = 1; n <= 10; n++) one.goOn(n * 50);
  t.is(takeLagMs(one.lag, one.nowMs + 20), 0);
});

test('a loop that is blocked now shows it before it goes on', (t) => {
  const one = loop();
  one.goOn(50);
  t.is(takeLagMs(one.lag, one.nowMs + 3_050), 3_000);
});

test('the worst delay is told once', (t) => {
  const one = loop();
  for (const ms of [50, 450, 500, 550]) one.goOn(ms);
  t.is(takeLagMs(one.lag, one.nowMs), 350);
  t.is(takeLagMs(one.lag, one.nowMs), 0);
});
