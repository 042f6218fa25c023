import { outOfServiceRemovedEarly } from '../../src/rules/out-of-service-removed-early.ts';
import { testGuardFixtures } from './guard-fixture-tests.ts';

testGuardFixtures(outOfServiceRemovedEarly);
