// Tests run as they are written: Node 24 strips the types. `timeout` ends a lane in which nothing has finished for so long;
// a test that needs longer says so itself with t.timeout().
export default {
  files: ['test/**/*.test.ts'],
  extensions: { ts: 'module' },
  timeout: '3m',
  workerThreads: false,
};
