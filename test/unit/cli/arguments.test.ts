import test from 'ava';
import { RolloutError } from '../../../runtime/base/errors.ts';
import { checkRunArguments } from '../../../runtime/cli/arguments.ts';
import { runArguments } from './run-arguments.ts';

test('arguments that contradict one another are refused', (t) => {
  const refused: readonly (readonly [Parameters<typeof runArguments>[0], RegExp])[] = [
    [{ baseUrl: [] }, /--backend mock/],
    [{ baseUrl: ['http://a'], backend: 'mock' }, /no server/],
    [{ baseUrl: [], backend: 'openai' }, /--base-url/],
    [{ model: 'a', overrideModel: 'b' }, /one of the two/],
    [{ fresh: true, force: true }, /one of the two/],
    [{ output: '' }, /--output is empty/],
    [{ output: '-' }, /--output - is no place for results: .* two files.*give the path of a file/],
    [{ output: 'folder/' }, /--output is the name of a directory \(folder\/\)/],
    [{ state: '-' }, /--state - is no directory/],
  ];
  for (const [change, message] of refused) {
    const error = t.throws(() => checkRunArguments(runArguments(change)), { instanceOf: RolloutError, message });
    t.is(error.code, 'USAGE');
  }
});

test('a dry run needs no backend', (t) => {
  t.notThrows(() => checkRunArguments(runArguments({ baseUrl: [], dryRun: true })));
});
