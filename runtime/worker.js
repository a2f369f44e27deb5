#!/usr/bin/env node
await import('../dist/runtime/worker/main.js');
