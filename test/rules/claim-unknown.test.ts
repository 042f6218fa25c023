import { claimUnknown } from '../../src/rules/claim-unknown.ts';
import { testFixtures } from './fixture-tests.ts';

testFixtures(claimUnknown, { claims: [[]], severity: 'info' }, { 'two-claims-missing': { claims: [[], []] } });
