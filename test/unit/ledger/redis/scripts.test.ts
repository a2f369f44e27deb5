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
  t.deepEqual(verbs.toSorted(), [...SCRIPTS].sort());
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

/** Words of commands that are none themselves. */
const ARGUMENTS = ['COUNT', 'GET', 'INCRBY'];

test('the script that asks for permissions names each command that the others give', (t) => {
  const dir = new URL('../../../../runtime/ledger/redis/lua/', import.meta.url);
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lua'));
  const sources = files.filter((name) => name !== 'permissions.lua').map((name) => readFileSync(new URL(name, dir), 'utf8'));
  const words = sources.flatMap((source) => [...source.matchAll(/'([A-Z]{3,})'/g)].map(([, word = '']) => word));
  const given = words.filter((word) => !ARGUMENTS.includes(word));
  const direct = ['HGETALL', 'INFO', 'EVALSHA'];
  const asked = [...readFileSync(new URL('permissions.lua', dir), 'utf8').matchAll(/\{ '([A-Z]+)'/g)].map(([, command = '']) => command);
  t.true(given.length > 15);
  t.deepEqual(asked.toSorted(), [...new Set([...given, ...direct])].toSorted());
});
