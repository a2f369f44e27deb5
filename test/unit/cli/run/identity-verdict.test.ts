import test from 'ava';
import {
  type Comparison,
  type IdentityVerdict,
  identityVerdict,
  type Permissions,
  type Refusal,
} from '../../../../runtime/cli/run/identity-verdict.ts';

const SAME: Comparison = { input: 'same', items: 'same', hasOtherModel: false, hasResults: true, handedOut: 5, isProvable: true };

const GO_ON: IdentityVerdict = { kind: 'go-on', isOtherList: false };
const OTHER_LIST: IdentityVerdict = { kind: 'go-on', isOtherList: true };
const EXTEND: IdentityVerdict = { kind: 'extend' };
const refuse = (why: Refusal): IdentityVerdict => ({ kind: 'refuse', why });

const TABLE: readonly (readonly [
  what: string,
  change: Partial<Comparison>,
  flags: readonly (keyof Permissions)[],
  verdict: IdentityVerdict,
])[] = [
  ['the same', {}, [], GO_ON],
  ['the same, with a flag that is not needed', {}, ['extend', 'force'], GO_ON],
  ['another model', { hasOtherModel: true }, [], refuse('model')],
  ['another model, before anything has a result', { hasOtherModel: true, hasResults: false }, [], GO_ON],
  [
    'a grown input and another model, before anything has a result',
    { input: 'grown', hasOtherModel: true, hasResults: false },
    ['extend'],
    EXTEND,
  ],
  ['another model', { hasOtherModel: true }, ['extend'], refuse('model')],
  ['another model', { hasOtherModel: true }, ['force'], GO_ON],
  ['a grown input', { input: 'grown' }, [], refuse('grown')],
  ['a grown input', { input: 'grown' }, ['extend'], EXTEND],
  ['a grown input', { input: 'grown' }, ['force'], refuse('handed-out')],
  ['a grown input of which nothing was handed out', { input: 'grown', handedOut: 0 }, ['force'], OTHER_LIST],
  ['a grown input and another model', { input: 'grown', hasOtherModel: true }, ['extend'], refuse('differs')],
  ['a grown input and another model', { input: 'grown', hasOtherModel: true }, ['extend', 'force'], EXTEND],
  ['a higher limit', { items: 'more' }, [], refuse('raised')],
  ['a higher limit', { items: 'more' }, ['extend'], EXTEND],
  ['a higher limit over a grown input', { input: 'grown', items: 'more' }, ['extend'], EXTEND],
  ['another input, perhaps; the index decides', { input: 'different' }, ['extend'], EXTEND],
  ['another input', { input: 'different' }, [], refuse('differs')],
  ['a grown input whose index is gone', { input: 'grown', isProvable: false }, ['extend'], refuse('differs')],
  ['another input', { input: 'different' }, ['force'], refuse('handed-out')],
  ['another input of which nothing was handed out', { input: 'different', handedOut: 0 }, ['force'], OTHER_LIST],
  ['other items of the same input', { items: 'different' }, ['force'], refuse('handed-out')],
  ['other items of the same input', { items: 'different' }, ['extend'], refuse('differs')],
  ['other items of a grown input', { input: 'grown', items: 'different' }, ['extend'], refuse('differs')],
];

for (const [what, change, flags, verdict] of TABLE) {
  test(`${what}, ${flags.length === 0 ? 'no flag' : flags.join(' and ')}${change.handedOut === 0 ? ', nothing handed out' : ''}: ${JSON.stringify(verdict)}`, (t) => {
    const permissions = { extend: flags.includes('extend'), force: flags.includes('force') };
    t.deepEqual(identityVerdict({ ...SAME, ...change }, permissions), verdict);
  });
}
