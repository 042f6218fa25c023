import { rolloutBlocked } from '../../src/rules/rollout-blocked.ts';
import { testFixtures } from './fixture-tests.ts';

/** A claim for one pod, or for one node, is to blame by its name; pods that may not share a node are to blame themselves. */
const byTheClaim = { claims: [['data']] };

testFixtures(
  rolloutBlocked,
  { claims: [[]], severity: 'error' },
  {
    'host-network-on-as-many-nodes-as-replicas': { severity: 'warning' },
    'host-port-on-as-many-nodes-as-pods': { severity: 'warning' },
    'anti-affinity-on-a-local-volume': byTheClaim,
    'claim-for-many-that-is-being-deleted': byTheClaim,
    'claim-that-is-being-deleted': byTheClaim,
    'daemon-set-that-surges-with-a-one-pod-claim': byTheClaim,
    'local-volume-that-nobody-mounts': byTheClaim,
    'one-pod-claim-that-nobody-mounts': byTheClaim,
    'second-workload-in-another-zone': byTheClaim,
    'second-workload-off-the-local-volume': byTheClaim,
    'stateful-set-mended-while-an-update-hangs': byTheClaim,
    'local-volume-off-the-gpu': byTheClaim,
    'local-volume-off-the-selected-nodes': byTheClaim,
    'node-name-off-the-volumes-node': byTheClaim,
    'node-name-with-a-claim-that-waits': byTheClaim,
    'recreate-away-from-a-local-volume': byTheClaim,
    'recreate-with-a-claim-that-is-being-deleted': byTheClaim,
    'one-disk-in-two-templates-on-one-node': {},
    'volumes-in-two-zones': { claims: [['data', 'more']] },
    'spread-over-more-nodes-than-the-volume': byTheClaim,
    'lvm-not-shared': byTheClaim,
    'lvm-shared-no': byTheClaim,
    'zfs-unbound': byTheClaim,
    'read-write-once-pod': byTheClaim,
    'read-write-once-pod-on-one-node': byTheClaim,
    'read-write-once-pod-two-replicas': byTheClaim,
    'read-write-once-pod-unbound': byTheClaim,
    'read-write-once-pod-with-affinity': byTheClaim,
    'read-write-once-pod-with-node-name': byTheClaim,
  },
);
