/**
 * Run in a process of its own, with the store's directory on stdin: ends with 0 once it has had the writer's lock. Where a stopped
 * process holds that lock, this one waits in its parent's stead, and is killed.
 */
import { readFileSync, writeSync } from 'node:fs';
import { PROBE_SAYS } from './probe-words.ts';
import { openStore } from './store.ts';

const dir = readFileSync(0, 'utf8');
writeSync(1, `${PROBE_SAYS.asking}\n`);
const store = await openStore(dir, 'write');
writeSync(1, `${PROBE_SAYS.had}\n`);
await store.close();
