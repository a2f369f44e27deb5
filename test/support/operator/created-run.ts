import type { RolloutRun } from '../../../operator/api/run.ts';
import { readCrd, runSchema, validatorOf } from '../run-schema.ts';
import { runOf } from './run-world.ts';

const isRun = validatorOf(runSchema(readCrd()));

/** A run as the API server keeps what a user has written: with the defaults of the schema, which refuses what it does not know. */
export function createdRun(spec: object = {}): RolloutRun {
  const { apiVersion, kind, metadata } = runOf();
  const run = { apiVersion, kind, metadata, spec: { input: { configMap: { name: 'prompts' } }, ...structuredClone(spec) } };
  if (!isRun(run)) throw new Error(`the schema refuses the run: ${JSON.stringify(isRun.errors)}`);
  return run as unknown as RolloutRun;
}
