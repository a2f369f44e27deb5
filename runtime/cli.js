#!/usr/bin/env node
await import('../dist/runtime/cli/main.js');
