#!/usr/bin/env node
import { inspect } from 'node:util';

process.on('uncaughtException', end);
try {
  const { main } = await import('../dist/runtime/cli/main.js');
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  end(error);
}

/** A bug ends with 70: Node's own 1 means that the run is done and some items failed. Too many open files is not a bug. */
function end(error) {
  const text = inspect(error);
  const isOutOfFiles = /EMFILE|ENFILE|too many open files/.test(text);
  const advice = 'rollout: too many files are open: raise the limit (`ulimit -n 1024`) and give the same command again';
  process.stderr.write(`${isOutOfFiles ? advice : text}\n`);
  process.exit(isOutOfFiles ? 2 : 70);
}
