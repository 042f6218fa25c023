import { rolloutTransient } from '../../src/rules/rollout-transient.ts';
import { testFixtures } from './fixture-tests.ts';

testFixtures(rolloutTransient, { claims: [['data']], severity: 'warning' }, {});
