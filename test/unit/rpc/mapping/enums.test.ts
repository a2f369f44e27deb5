import test from 'ava';
import * as enums from '../../../../runtime/rpc/mapping/enums.ts';

const TABLES: Readonly<Record<string, enums.EnumTable<string, number>>> = {
  WORKER_STATES: enums.WORKER_STATES,
  HELD_STATES: enums.HELD_STATES,
  RETURN_REASONS: enums.RETURN_REASONS,
  ITEM_FORMS: enums.ITEM_FORMS,
  ORDERS: enums.ORDERS,
  POLL_STATUSES: enums.POLL_STATUSES,
  ROLES: enums.ROLES,
  DRAIN_STEPS: enums.DRAIN_STEPS,
  DRAIN_REPLY_STATES: enums.DRAIN_REPLY_STATES,
  HINT_SEVERITIES: enums.HINT_SEVERITIES,
  PROVIDER_NAMES: enums.PROVIDER_NAMES,
};

test('in every table each word has a number of its own, back and forth, and 0 (unspecified) is no word', (t) => {
  for (const [name, { toWire, fromWire }] of Object.entries(TABLES)) {
    t.true(fromWire.size >= 2, name);
    t.is(fromWire.size, Object.keys(toWire).length, name);
    for (const [number, word] of fromWire) t.is(toWire[word], number, `${name}.${word}`);
    t.false(fromWire.has(0), name);
  }
});
