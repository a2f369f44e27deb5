import test from 'ava';
import { byAdvice, byCommand } from '../../../../runtime/input/file/file-encoding.ts';
import { formText } from '../../../../runtime/input/file/form-text.ts';

const LIST = byCommand('is one JSON list', "jq -c '.[]' {}");

test('a file gets a command that writes another file beside it', (t) => {
  const text = (path: string): string => formText(LIST, { kind: 'file', path });
  t.is(
    text('data/in.json'),
    "the input data/in.json is one JSON list: convert it with `jq -c '.[]' data/in.json > data/in.jsonl`, and give data/in.jsonl instead. Nothing was executed",
  );
  t.regex(text('in.jsonl'), /jq -c '\.\[\]' in\.jsonl > in\.lines\.jsonl`/, 'never the file itself');
  t.regex(text("it's in.json"), /jq -c '\.\[\]' 'it'\\''s in\.json' > 'it'\\''s in\.jsonl'`/);
});

test('what is in a gzip file goes through a pipe, and so does standard input', (t) => {
  t.regex(formText(LIST, { kind: 'gzip', path: 'in.json.gz' }), /`gzip -dc in\.json\.gz \| jq -c '\.\[\]' > in\.jsonl`/);
  t.regex(formText(LIST, { kind: 'stream', name: '(standard input)' }), /pipe it through `jq -c '\.\[\]'` first/);
  const mac = byCommand('has other line ends', "tr '\\r' '\\n' < {}");
  t.regex(formText(mac, { kind: 'gzip', path: 'in.gz' }), /`gzip -dc in\.gz \| tr '\\r' '\\n' > in\.jsonl`/);
});

test('where no one command helps, the message says what a line has to be', (t) => {
  t.is(
    formText(byAdvice('is a PDF', 'write lines'), { kind: 'file', path: 'in.pdf' }),
    'the input in.pdf is a PDF: write lines. Nothing was executed',
  );
});
