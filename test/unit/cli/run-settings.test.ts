import test from 'ava';
import { optionsOf, settingsFrom } from '../../../runtime/cli/run-settings.ts';
import { MOCK } from '../../../runtime/settings/backend.ts';
import { COORDINATOR } from '../../../runtime/settings/coordinator.ts';
import { WORKER } from '../../../runtime/settings/worker.ts';
import { runArguments } from './run-arguments.ts';

test('each place gets the arguments that are its settings, under its own names', (t) => {
  const args = runArguments({ maxFailed: '5%', model: 'm', timeout: '7s', mockFailureRate: 0.5 });
  t.like(settingsFrom(COORDINATOR, args), { maxFailedItems: '5%', output: 'out.jsonl', logLevel: 'info', results: { model: 'm' } });
  t.deepEqual(settingsFrom(WORKER, args), { requestTimeout: '7s', waitBackend: '15m', concurrency: 64, logLevel: 'info' });
  t.deepEqual(settingsFrom(MOCK, args), { latency: '20ms', latencySpread: '0ms', failureRate: 0.5 });
});

test('what was not given is left out, so that the default of the file holds', (t) => {
  const file = settingsFrom(COORDINATOR, runArguments());
  t.true('drainTimeout' in file);
  t.false('stallTimeout' in file);
  t.false('results' in file);
});

test('--fresh and --dry-run are of run alone, --failed of retry alone, and all else of both', (t) => {
  const [run, retry] = [optionsOf('run'), optionsOf('retry')].map((options) => options.map(({ flags }) => flags));
  t.deepEqual(
    run?.filter((flags) => !retry?.includes(flags)),
    ['--fresh', '--dry-run'],
  );
  t.deepEqual(
    retry?.filter((flags) => !run?.includes(flags)),
    ['--failed'],
  );
});
