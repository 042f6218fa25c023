import { unfencedForceDelete } from '../../src/rules/unfenced-force-delete.ts';
import { testGuardFixtures } from './guard-fixture-tests.ts';

testGuardFixtures(unfencedForceDelete);
