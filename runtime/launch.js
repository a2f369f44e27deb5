import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';

/** The oldest Node that package.json names. */
const OLDEST = [20, 19];

/** Runs the process `name` of dist/ (coordinator, worker, cli) and ends with its exit code. */
export async function launch(name) {
  process.on('uncaughtException', end);
  try {
    const built = new URL(`../dist/${name}.js`, import.meta.url);
    const flaw = flawOf(built);
    if (flaw !== null) refuse(flaw);
    keepCompiled();
    optimizeLate();
    const { main } = await import(built);
    const code = await main(process.argv.slice(2));
    if (WRITE_DATA.includes(name)) await written();
    process.exit(code);
  } catch (error) {
    end(error);
  }
}

/** Their output is data. The others log, and a reader of logs that stands still must not keep them. */
const WRITE_DATA = ['cli', 'kubectl'];

/**
 * What a slow reader of a pipe has not taken yet would be lost with the process, whose exit code says that all is well. Nothing else is left
 * to do, so that any signal ends it.
 */
async function written() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
  for (const stream of [process.stdout, process.stderr])
    if (stream.writableLength > 0) await new Promise((resolve) => stream.write('', resolve));
}

function flawOf(built) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isTooOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  if (isTooOld) return `Node ${process.versions.node} is too old: install Node ${OLDEST.join('.')} or later`;
  return existsSync(built)
    ? null
    : `it is not built: run \`npm ci\`, or \`npm run build\`, in ${fileURLToPath(new URL('..', import.meta.url))}`;
}

/**
 * From Node 22.1 on compiled code is kept for the next start, beside the code and not in a directory for everybody's temporary files:
 * who can write the one can write the other. Where it cannot be written, nothing is kept. Threads take the place from the environment.
 */
function keepCompiled() {
  const { directory } = module.enableCompileCache?.(fileURLToPath(new URL('../dist/compiled', import.meta.url))) ?? {};
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE = directory;
}

/**
 * Calls of a function before V8 compiles it with its best compiler, which costs milliseconds each time: with its own 3,000 that work took
 * more than the garbage collection of a whole run of some hundred thousand items. What is called for each item still gets there soon;
 * until then, and for the rest, the compiler in the middle does nearly as well. Node 22 and older do not have that one.
 */
const OPTIMIZED_AFTER_CALLS = 40_000;

function optimizeLate() {
  const [v8] = process.versions.v8.split('.').map(Number);
  if (v8 >= 13) setFlagsFromString(`--invocation-count-for-turbofan=${OPTIMIZED_AFTER_CALLS}`);
}

function refuse(flaw) {
  process.stderr.write(`rollout: ${flaw}\n`);
  process.exit(2);
}

/** A bug ends with 70: Node's own 1 means that the run is done and some items failed. Too many open files is not a bug. */
function end(error) {
  const text = inspect(error);
  const isOutOfFiles = /EMFILE|ENFILE|too many open files/.test(text);
  const advice = 'rollout: too many files are open: raise the limit (`ulimit -n 1024`) and give the same command again';
  process.stderr.write(`${isOutOfFiles ? advice : text}\n`);
  process.exit(isOutOfFiles ? 2 : 70);
}
