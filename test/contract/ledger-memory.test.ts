import test from 'ava';
import { createMemoryLedger } from '../../runtime/ledger/memory.ts';
import { ledgerSuite } from './ledger.suite.ts';

ledgerSuite(test, async () => createMemoryLedger());
