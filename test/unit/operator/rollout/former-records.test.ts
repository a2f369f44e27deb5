import test from 'ava';
import { redisRecord } from '../../../../operator/rollout/desired/redis-record.ts';
import { copiedFrom, formerKeys, orphanRecords, releasePatch } from '../../../../operator/rollout/former-records.ts';
import { REDIS } from '../../../support/operator/redis-world.ts';
import { runOf } from '../../../support/operator/run-world.ts';

const RUN = runOf();
const RECORD = redisRecord(RUN, REDIS);
const DELETED = '2026-11-30T10:00:00Z';
const LEAVING = { ...RECORD, metadata: { ...RECORD.metadata, uid: 'm1', deletionTimestamp: DELETED } };

test('a run is to be retired when it is gone, or is about to go and waits for its children', (t) => {
  const expected = { runName: 'answers', runUid: RUN.metadata.uid, namespace: 'team' };
  t.like(formerKeys([LEAVING], null), [expected]);
  t.like(formerKeys([LEAVING], runOf({}, undefined, { deletionTimestamp: DELETED })), [expected]);
  t.like(formerKeys([LEAVING], runOf({}, undefined, { uid: '0193746f-8b1c-7e2a-9f00-000000000000' })), [expected], 'another of its name');
});

test('a run that goes on keeps its keys, also where somebody has deleted its record; so does one whose record was made an orphan', (t) => {
  t.deepEqual(formerKeys([LEAVING], RUN), []);
  t.deepEqual(formerKeys([RECORD], null), [], 'nobody has deleted the record yet');
  t.deepEqual(formerKeys([{ ...LEAVING, metadata: { ...LEAVING.metadata, ownerReferences: [] } }], null), []);
});

test('only what the operator has added is taken away, of exactly this record', (t) => {
  const others = { ...LEAVING, metadata: { ...LEAVING.metadata, finalizers: ['example.com/backup', 'rollout.run/redis-keys'] } };
  t.deepEqual(releasePatch(others), { metadata: { uid: 'm1', finalizers: ['example.com/backup'] } });
});

test('a record without an owner that is to go is an orphan, and retires nobody; one that the operator has released is none', (t) => {
  const orphan = { ...LEAVING, metadata: { ...LEAVING.metadata, ownerReferences: [] } };
  t.deepEqual(orphanRecords([LEAVING, orphan]), [orphan]);
  t.deepEqual(orphanRecords([{ ...orphan, metadata: { ...orphan.metadata, finalizers: [] } }]), []);
  t.deepEqual(orphanRecords([{ ...RECORD, metadata: { ...RECORD.metadata, ownerReferences: [] } }]), [], 'nobody has deleted it');
});

test('a copy is told by the namespace that it was made for', (t) => {
  t.is(copiedFrom(RECORD), null);
  t.is(copiedFrom({ ...RECORD, metadata: { ...RECORD.metadata, namespace: 'restored' } }), 'team');
});
