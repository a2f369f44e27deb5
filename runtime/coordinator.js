#!/usr/bin/env node
await import('../dist/runtime/coordinator/main.js');
