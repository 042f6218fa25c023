import { replicasSplit } from '../../src/rules/replicas-split.ts';
import { testFixtures } from './fixture-tests.ts';

testFixtures(
  replicasSplit,
  { claims: [['data']], severity: 'error' },
  { 'two-claims': { claims: [['data', 'logs']] }, 'autoscaler-asks-for-more': { severity: 'warning' } },
);
