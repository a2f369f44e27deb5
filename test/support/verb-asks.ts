import type { Ledger } from '../../runtime/ledger/contract.ts';
import type { Lease } from '../../runtime/model/lease.ts';
import type { Stamp } from '../../runtime/model/row.ts';
import { back, move, request, row, SOME_PLACE, SOME_TTL_MS, SOME_WORKER, sole, taken } from './ledger-start.ts';

export type Ask = (ledger: Ledger, lease: Lease, by: Stamp, port: number) => Promise<unknown>;

/** What is asked, and asked again, of each verb; `by` is of one request. */
export const VERB_ASKS: Readonly<Record<string, Ask>> = {
  commit: (ledger) =>
    ledger.commit(0, {
      settles: [{ index: 0, row: row('w1'), isResult: true }],
      handBacks: [back(2, row('w1'), 'failed', 5)],
      claims: [{ worker: 'w2', picks: [{ cursor: 4, count: 2 }] }],
    }),
  reassign: (ledger) => ledger.reassign(0, [move(0, row('w1'), 'w2')]),
  second: (ledger) => ledger.second(0, 'w2', [sole(0, row('w1'))]),
  restore: (ledger) => ledger.restore(0, [taken(1, row('w1'))]),
  look: (ledger) => ledger.look(0, [{ index: 0, row: row('w1') }]),
  bind: (ledger) => ledger.bind(0, SOME_PLACE),
  register: (ledger, _, stamp) => ledger.register(stamp, 'w3', SOME_WORKER),
  forget: (ledger, _, stamp) => ledger.forget(stamp, 'w2'),
  pause: (ledger, _, stamp) => ledger.pause(stamp, 'why'),
  resume: (ledger, _, stamp) => ledger.resume(stamp),
  finish: (ledger, _, stamp) => ledger.finish(stamp, 3),
  reopen: (ledger, _, stamp) => ledger.reopen(stamp, { pending: [3], own: [], tallies: [{ epoch: 0, count: 0, low: 0, high: 0 }] }),
  acquire: (ledger, lease) => ledger.acquire(request('next', lease)),
  renew: (ledger, lease) => ledger.renew(lease, SOME_TTL_MS),
  release: (ledger, lease) => ledger.release(lease),
  readLease: (ledger) => ledger.readLease(),
  scan: (ledger) => ledger.scan(0),
  progress: (ledger) => ledger.progress(),
  bits: (ledger) => ledger.bits(0, 9),
  tallies: (ledger) => ledger.tallies(),
};
