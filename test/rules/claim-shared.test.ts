import { claimShared } from '../../src/rules/claim-shared.ts';
import { testFixtures } from './fixture-tests.ts';

testFixtures(
  claimShared,
  { claims: [['data']], severity: 'warning' },
  {
    'affinity-to-any-pod-of-a-stateful-set': { claims: [['data-db-0']] },
    'beside-a-stateful-sets-own-claim': { claims: [['data-db-0']] },
    'one-disk-in-two-templates': { claims: [['d']] },
    'own-claim-that-a-companion-mounts': { claims: [['data-db-0']] },
    'own-claim-that-another-workload-mounts': { claims: [['data-db-0']] },
  },
);
