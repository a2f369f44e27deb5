// Tests run as they are written: Node 24 strips the types. `timeout` ends a lane in which nothing has finished for so long;
// a test that needs longer says so itself with t.timeout(). Files that are named for one process are run by scripts/together.ts.
const isTogether = process.env.ROLLOUT_TEST_TOGETHER !== undefined;

export default {
  files: [isTogether ? 'scripts/together.ts' : 'test/**/*.test.ts'],
  extensions: { ts: 'module' },
  timeout: '3m',
  workerThreads: false,
};
