import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { assert } from '../../base/assert.ts';
import { KEY_COUNT } from './keys.ts';

/** One file for each atomic verb (lua/); in dist/ they lie in a folder of the same name beside the bundle. */
export const SCRIPTS = [
  'acquire',
  'renew',
  'release',
  'retire',
  'read-lease',
  'bind',
  'commit',
  'reassign',
  'restore',
  'second',
  'look',
  'register',
  'forget',
  'pause',
  'finish',
  'reopen',
  'reopen-on',
  'scan-page',
  'bits',
  'progress',
  'tallies',
  'open-results',
  'bind-input',
  'create-segment',
  'append-segment',
  'segments',
  'read-segment',
  'permissions',
] as const;

export type ScriptName = (typeof SCRIPTS)[number];
export type Argument = string | number | Buffer;

/** Sends scripts by their digest, and whole where the server does not know one (NOSCRIPT). */
export interface Scripts {
  run(name: ScriptName, args: readonly Argument[]): Promise<unknown>;
  /** Strings of the reply as bytes. */
  runBytes(name: ScriptName, args: readonly Argument[]): Promise<unknown>;
}

type Command = (...args: readonly Argument[]) => Promise<unknown>;

export function defineScripts(redis: Redis, keys: readonly string[]): Scripts {
  for (const name of SCRIPTS) redis.defineCommand(commandName(name), { lua: scriptText(name), numberOfKeys: KEY_COUNT });
  const commands = redis as unknown as Readonly<Record<string, Command | undefined>>;
  const call = (command: string, args: readonly Argument[]): Promise<unknown> => {
    const run = commands[command];
    assert(run !== undefined, `${command} is defined`);
    return run.call(redis, ...keys, ...args);
  };
  return {
    run: (name, args) => call(commandName(name), args),
    runBytes: (name, args) => call(`${commandName(name)}Buffer`, args),
  };
}

/** None of Redis' own commands is called so. */
function commandName(name: ScriptName): string {
  return `ledger:${name}`;
}

const INCLUDE = /^--@include (\w+)$/gm;

/** Read once in a process. */
const sources = new Map<ScriptName, string>();

/** As it is sent: with the parts of lua/lib that it includes. The line of `#!lua` stays the first. */
export function scriptText(name: ScriptName): string {
  const known = sources.get(name);
  if (known !== undefined) return known;
  const source = read(`${name}.lua`).replaceAll(INCLUDE, (_, part: string) => read(`lib/${part}.lua`));
  sources.set(name, source);
  return source;
}

function read(file: string): string {
  return readFileSync(new URL(`lua/${file}`, import.meta.url), 'utf8');
}
