import test from 'ava';
import { outputNameProblem } from '../../../runtime/model/output-name.ts';

test('standard output, a directory and nothing are no names for an output; a file that is called - is', (t) => {
  t.regex(outputNameProblem('-') ?? '', /no place for results.*give the path of a file/);
  t.regex(outputNameProblem('out/') ?? '', /name of a directory \(out\/\)/);
  t.regex(outputNameProblem('') ?? '', /is empty/);
  for (const name of ['./-', 'out.jsonl', '/data/-', '-out']) t.is(outputNameProblem(name), null, name);
});
