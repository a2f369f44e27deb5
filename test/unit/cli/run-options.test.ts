import test from 'ava';
import { RUN_OPTIONS } from '../../../runtime/cli/run-options.ts';
import { COORDINATOR } from '../../../runtime/settings/coordinator.ts';
import { argumentOf } from '../../../runtime/settings/flag.ts';
import { WORKER } from '../../../runtime/settings/worker.ts';

const OPTIONS = Object.entries(RUN_OPTIONS);

test('an argument has the name that its flag makes', (t) => {
  for (const [name, { flags }] of OPTIONS) {
    t.is(name, argumentOf(flags));
  }
});

test('every option of rollout run says in its help what it is for, and a choice or a text has a name for its value', (t) => {
  for (const [name, { flags, help, choices, value }] of OPTIONS) {
    t.true(help.length > 10, name);
    if (choices !== undefined || value !== undefined) t.regex(flags, /<.+>$/, name);
  }
});

test('an option that gives a setting has the text, the choices and the default of its declaration', (t) => {
  t.like(RUN_OPTIONS.waitBackend, { help: WORKER.waitBackend.text, default: '15m' });
  t.like(RUN_OPTIONS.onInvalid, { choices: ['record', 'fail'], default: 'record' });
  t.is(RUN_OPTIONS.model.help, 'fill body.model where it is absent', 'without the marks of code');
  t.is(RUN_OPTIONS.drainTimeout.help, COORDINATOR.drainTimeout.help, 'its own words where it has some');
  t.true(RUN_OPTIONS.output.isRequired);
  t.false(RUN_OPTIONS.limit.isRequired);
  t.like(RUN_OPTIONS.baseUrl, { default: [], shownDefault: 'none' });
});

test('each value of an option is checked at once; only paths and what may hold a secret are checked later, with others', (t) => {
  const unchecked = OPTIONS.filter(([, { flags, choices, value }]) => flags.includes('<') && choices === undefined && value === undefined);
  t.deepEqual(
    unchecked.map(([name]) => name),
    ['output', 'state', 'redis'],
  );
});
