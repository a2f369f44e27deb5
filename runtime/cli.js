#!/usr/bin/env node
import { inspect } from 'node:util';
import { main } from '../dist/runtime/cli/main.js';

// A bug. Node would end with 1, which says that the run is done and some items failed.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${inspect(error)}\n`);
  process.exit(70);
});
process.exit(await main(process.argv.slice(2)));
