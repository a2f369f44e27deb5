import { nearest } from '../../../runtime/base/config/nearest.ts';
import { API_VERSION, GROUP, KIND } from '../../api/names.ts';
import { RUN_SCHEMA } from '../../api/schema.gen.ts';
import type { Schema } from '../../api/schema.ts';
import { type Block, has, isBlock, own } from './block.ts';
import { withDefaults } from './defaults.ts';
import { type Mistake, schemaMistakes } from './schema-check.ts';

/** Whether a document is meant to be a RolloutRun. */
export function isMeantAsRun({ kind, apiVersion }: Block): boolean {
  if (typeof kind === 'string' && kind !== '') return kind === KIND || nearest(kind, [KIND]) !== null;
  return typeof apiVersion === 'string' && apiVersion.startsWith(`${GROUP}/`);
}

/** All mistakes of a RolloutRun that can be seen without a cluster. */
export function runMistakes(run: Block): readonly Mistake[] {
  const { kind, apiVersion, metadata } = run;
  const heads = [
    ...(kind === KIND ? [] : [{ path: ['kind'], problem: `must be ${KIND}` }]),
    ...(apiVersion === API_VERSION ? [] : [{ path: ['apiVersion'], problem: `must be ${API_VERSION}` }]),
    ...(has(run, 'metadata')
      ? nameless(metadata)
      : [{ path: ['metadata'], problem: 'is missing: give the run a name in `metadata.name`' }]),
  ];
  return [...heads, ...schemaMistakes(SCHEMA, withDefaults(SCHEMA, run))];
}

function nameless(metadata: unknown): readonly Mistake[] {
  if (!isBlock(metadata) || has(metadata, 'name') || has(metadata, 'generateName')) return [];
  return [{ path: ['metadata', 'name'], problem: 'is missing: give the run a name' }];
}

const TEXT: Schema = { type: 'string' };
const ANY: Schema = {};

/** The definition says nothing of metadata, which is the same for all kinds. */
const METADATA: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    generateName: TEXT,
    namespace: { type: 'string', minLength: 1, maxLength: 63 },
    labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 63 } },
    annotations: { type: 'object', additionalProperties: TEXT },
    finalizers: { type: 'array', items: TEXT },
    ownerReferences: { type: 'array', items: { type: 'object' } },
    // What the API server writes, and a manifest that was read from it has.
    ...Object.fromEntries(
      [
        ...['uid', 'resourceVersion', 'generation', 'managedFields', 'selfLink'],
        ...['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'],
      ].map((name) => [name, ANY]),
    ),
  },
};

/** Kind and version are checked by their values, and metadata by what it is in all kinds. */
const SCHEMA: Schema = { ...RUN_SCHEMA, properties: { ...RUN_SCHEMA.properties, kind: ANY, apiVersion: ANY, metadata: METADATA } };

/** Whether the lines of the run's list are plain values. */
export function isRaw(run: Block): boolean {
  const format = own(isBlock(run['spec']) ? run['spec'] : {}, 'format');
  return isBlock(format) && format['raw'] === true;
}
