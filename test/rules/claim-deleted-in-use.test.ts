import { claimDeletedInUse } from '../../src/rules/claim-deleted-in-use.ts';
import { testGuardFixtures } from './guard-fixture-tests.ts';

testGuardFixtures(claimDeletedInUse);
