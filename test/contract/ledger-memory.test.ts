import test from 'ava';
import { createMemoryLedger } from '../../runtime/ledger/memory/ledger.ts';
import { ledgerSuite } from './ledger.suite.ts';

ledgerSuite(test, async () => createMemoryLedger());
