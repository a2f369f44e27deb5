import test from 'ava';
import { optionsOf, settingsFor } from '../../../runtime/cli/run-settings.ts';
import { runArguments } from './run-arguments.ts';

test('each place gets the arguments that are its settings, under its own names', (t) => {
  const args = runArguments({ maxFailed: '5%', model: 'm', timeout: '7s', mockFailureRate: 0.5 });
  t.like(settingsFor('coordinator', args), { maxFailedItems: '5%', output: 'out.jsonl', logLevel: 'info' });
  t.deepEqual(settingsFor('results', args), { model: 'm' });
  t.deepEqual(settingsFor('worker', args), { requestTimeout: '7s', waitBackend: '15m', concurrency: 64, logLevel: 'info' });
  t.deepEqual(settingsFor('mock', args), { latency: '20ms', latencySpread: '0ms', failureRate: 0.5 });
});

test('what was not given is left out, so that the default of the file holds', (t) => {
  t.false('stallTimeout' in settingsFor('coordinator', runArguments()));
  t.deepEqual(settingsFor('results', runArguments()), {});
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
