import { rolloutDeadlock } from '../../src/rules/rollout-deadlock.ts';
import { testFixtures } from './fixture-tests.ts';

testFixtures(
  rolloutDeadlock,
  { claims: [['data']], severity: 'error' },
  { 'two-claims': { claims: [['data', 'logs']] } },
);
