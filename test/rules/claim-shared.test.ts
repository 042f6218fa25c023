import { claimShared } from '../../src/rules/claim-shared.ts';
import { testFixtures } from './fixture-tests.ts';

testFixtures(claimShared, { claims: [['data']], severity: 'warning' }, {});
