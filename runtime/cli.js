#!/usr/bin/env node
import { main } from '../dist/runtime/cli/main.js';

process.exit(await main(process.argv.slice(2)));
