import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { SCRIPTS } from '../../../../runtime/ledger/redis/scripts.ts';

const SOURCE = fileURLToPath(new URL('../../../../runtime/ledger/redis/lua/', import.meta.url));
const BUILT = fileURLToPath(new URL('../../../../dist/lua/', import.meta.url));

function luaIn(dir: string): Map<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lua'));
  return new Map(names.sort().map((name) => [name, readFileSync(`${dir}${name}`, 'utf8')]));
}

test('each verb has its file, which says by flags what it may do, and what it answers', (t) => {
  const files = luaIn(SOURCE);
  const verbs = [...files.keys()].filter((name) => !name.startsWith('lib/')).map((name) => name.replace('.lua', ''));
  t.deepEqual(verbs, [...SCRIPTS].sort());
  for (const verb of verbs) {
    const text = files.get(`${verb}.lua`) ?? '';
    t.regex(text, /^#!lua( flags=(no-writes|allow-oom))?\n-- /, verb);
    t.regex(text, /^-- .*Repl(?:y|ies): /m, verb);
    t.deepEqual([...text.matchAll(/redis\.call\('TIME'\)/g)].length, 0, `${verb}: the clock is read in lib/lease alone, once`);
  }
});

test('the files of dist/ are those of the sources', (t) => {
  t.deepEqual(luaIn(BUILT), luaIn(SOURCE));
});
