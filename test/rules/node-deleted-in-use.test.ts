import { nodeDeletedInUse } from '../../src/rules/node-deleted-in-use.ts';
import { testGuardFixtures } from './guard-fixture-tests.ts';

testGuardFixtures(nodeDeletedInUse);
