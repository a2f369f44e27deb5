import test from 'ava';
import { EXITS } from '../../../../operator/cli/exits.ts';
import { readText } from '../../../style/sources.ts';

const page = readText('docs/kubectl.md') ?? '';

test('docs/kubectl.md has every verb', (t) => {
  const headings = [...page.matchAll(/^#{2,3} (.*)$/gm)].flatMap(([, heading = '']) => heading.toLowerCase().split(', '));
  const verbs = Object.keys(EXITS).filter((name) => name !== 'all');
  t.deepEqual(
    verbs.filter((verb) => !headings.includes(verb)),
    [],
  );
});

test('docs/kubectl.md has every exit code, and no other', (t) => {
  const section = page.slice(page.indexOf('## Exit codes'), page.indexOf('## Rights'));
  const codes = [...section.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code);
  t.deepEqual(codes, Object.keys(EXITS.all));
});

test('a verb ends with no code that the program does not name', (t) => {
  const known = Object.keys(EXITS.all);
  for (const [verb, exits] of Object.entries(EXITS)) {
    t.deepEqual(
      Object.keys(exits).filter((code) => !known.includes(code)),
      [],
      verb,
    );
  }
});
