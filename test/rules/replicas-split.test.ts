import { replicasSplit } from '../../src/rules/replicas-split.ts';
import { testFixtures } from './fixture-tests.ts';

/** Its pods end by themselves, and those that wait come then. */
const untilSomeHaveEnded = { severity: 'warning' } as const;

testFixtures(
  replicasSplit,
  { claims: [['data']], severity: 'error' },
  {
    'own-volumes-in-one-zone-and-pods-apart': { claims: [['data-db-1']] },
    'own-volumes-off-the-selected-nodes': { claims: [['data-db-0']] },
    'own-volumes-on-one-node-and-a-host-port': { claims: [['data-db-1']] },
    'two-claims': { claims: [['data', 'logs']] },
    'autoscaler-asks-for-more': { severity: 'warning' },
    'cron-job-with-two-pods-at-once': untilSomeHaveEnded,
    'indexed-job-held-by-index': untilSomeHaveEnded,
    'job-that-empties-a-queue': untilSomeHaveEnded,
    'job-with-two-pods-at-once': untilSomeHaveEnded,
  },
);
