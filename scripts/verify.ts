/** `make verify`: all gates, each to its end, even after one has failed. */
import { GATES, runGates, STYLE_GATE } from './gates.ts';

const results = await runGates([...GATES, STYLE_GATE]);
const failed = results.filter((result) => !result.isPassed);
process.stdout.write(`${results.length - failed.length} gates passed, ${failed.length} failed\n`);
process.exit(failed.length === 0 ? 0 : 1);
