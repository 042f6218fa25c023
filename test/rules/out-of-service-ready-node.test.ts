import { outOfServiceReadyNode } from '../../src/rules/out-of-service-ready-node.ts';
import { testGuardFixtures } from './guard-fixture-tests.ts';

testGuardFixtures(outOfServiceReadyNode);
