import test from 'ava';
import type { Schema } from '../../../../../operator/api/schema.ts';
import { absence, valueMistake } from '../../../../../operator/cli/manifest/value-check.ts';

const COUNT: Schema = { type: 'integer', minimum: 1, maximum: 10 };
const NAME: Schema = { type: 'string', minLength: 1, maxLength: 5, pattern: '^[a-z]+$' };

const TABLE: readonly (readonly [schema: Schema, value: unknown, says: string | null])[] = [
  [COUNT, 5, null],
  [COUNT, 0, 'must be a whole number from 1 to 10, but is 0'],
  [COUNT, 11, 'must be a whole number from 1 to 10, but is 11'],
  [COUNT, 1.5, 'must be a whole number from 1 to 10, but is 1.5'],
  [COUNT, '5', 'must be a whole number from 1 to 10, but is "5": take the quotes away'],
  [COUNT, 'five', 'must be a whole number from 1 to 10, but is "five"'],
  [COUNT, null, 'is empty: give it a whole number from 1 to 10, or remove it'],
  [{ type: 'integer', minimum: 1 }, 0, 'must be a whole number, at least 1, but is 0'],
  [{ type: 'integer', format: 'int32' }, 2 ** 31, 'must be a whole number, but is 2147483648'],
  [{ type: 'integer', format: 'int64' }, 2 ** 31, null],
  [{ type: 'boolean' }, true, null],
  [{ type: 'boolean' }, 'yes', 'must be true or false, but is "yes": write it without quotes'],
  [NAME, 'abc', null],
  [NAME, '', 'must not be empty'],
  [NAME, 'abcdef', 'must have at most 5 characters, but has 6'],
  [NAME, 'A', 'must match ^[a-z]+$'],
  [NAME, 8000, 'must be a text, but is 8000: put it in quotes'],
  [NAME, ['a'], 'must be a text, but is a list'],
  [{ type: 'string', maxLength: 2 }, '😀😀', null],
  [{ type: 'string', enum: ['a', 'b'] }, 'c', 'must be one of a, b, but is "c"'],
  [{ type: 'object' }, [], 'must be a block of fields, but is a list'],
  [{ type: 'object', maxProperties: 1 }, { a: 1, b: 2 }, 'must have at most 1 fields, but has 2'],
  [{ type: 'array', maxItems: 1 }, [1, 2], 'must have at most 1 items, but has 2'],
  [{ 'x-kubernetes-int-or-string': true, maxLength: 3 }, '5%', null],
  [{ 'x-kubernetes-int-or-string': true }, 5, null],
  [{ 'x-kubernetes-int-or-string': true }, 0.5, 'must be a whole number or a text, but is 0.5: put it in quotes'],
  [{}, { anything: true }, null],
  [{}, null, null],
];

for (const [schema, value, says] of TABLE) {
  test(`${JSON.stringify(schema)} and ${JSON.stringify(value)}`, (t) => {
    t.is(valueMistake(schema, value, ['field']), says);
  });
}

test('a value that may hold a password is not shown', (t) => {
  t.is(valueMistake(COUNT, 'secret', ['spec', 'baseUrl']), 'must be a whole number from 1 to 10');
  t.is(valueMistake({ type: 'string' }, 5, ['spec', 'apiKeySecretRef', 'name']), 'must be a text: put it in quotes');
});

test('a long value is shown up to sixty characters', (t) => {
  t.true((valueMistake(COUNT, 'a'.repeat(500), []) ?? '').length < 130);
});

test('what is missing is told with what it has to be', (t) => {
  t.is(absence({ type: 'string' }), 'is missing: give it a text');
  t.is(absence({}), 'is missing');
});
