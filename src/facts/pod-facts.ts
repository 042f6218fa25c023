import type { PodVolume } from '../objects/pod-template.ts';
import type { Workload } from '../objects/workload.ts';
import type { Claim, Reading } from './claim.ts';
import { claimFacts, claimOf } from './claim-facts.ts';
import { namespaceLabelsOf } from './namespace-labels.ts';
import { withRuntimeClass } from './runtime-class.ts';
import type { PodFacts } from './workload-facts.ts';

/** Facts about the pods of one workload, and nothing of who else uses their claims. */
export function podFacts(written: Workload, known: PodFacts['nodes'], reading: Reading): PodFacts {
  reading.budget.spend(OPERATIONS_OF_A_WORKLOAD);
  const scheduled = withRuntimeClass(written, reading.snapshot);
  const [workload, nodes] = scheduled.known ? [scheduled.value, known] : [written, scheduled];
  return {
    workload,
    claims: claimsOf(workload, reading),
    ownClaims: ownClaimsOf(workload, reading),
    siblings: undefined,
    nodes,
    namespaceLabels: namespaceLabelsOf(workload.metadata.namespace, reading),
    budget: reading.budget,
  };
}

/** No node attaches as many: drivers say 16 to 256 (`CSINode.spec.drivers[].allocatable.count`). The first are judged. */
const MOST_CLAIMS = 512;

export function claimsOf({ metadata, template }: Workload, reading: Reading): readonly Claim[] {
  const claims = new Map<string, Claim>();
  const named = new Set<string>();
  const mounted = new Set(template.volumes.flatMap((volume) => (volume.isMounted ? [claimNameOf(volume)] : [])));
  for (const volume of template.volumes) {
    reading.budget.spend();
    if (volume.type === 'claim' && named.has(volume.claimName)) continue;
    if (volume.type === 'claim') named.add(volume.claimName);
    if (claims.size >= MOST_CLAIMS) {
      reading.budget.giveUp();
      break;
    }
    reading.budget.spend(OPERATIONS_OF_A_LOOKUP);
    const held = claimOf(volume, metadata.namespace, reading);
    const claim = mounted.has(claimNameOf(volume)) ? held : { ...held, unmounted: true };
    claims.set(volume.type === 'claim' ? `claim ${claim.name}` : claim.identity, claim);
  }
  return [...claims.values()];
}

/** A claim may be several volumes of a pod, of which one is enough. */
function claimNameOf(volume: PodVolume): string {
  return volume.type === 'claim' ? `claim ${volume.claimName}` : volume.volume;
}

/** What reading the facts of one workload takes that has one claim. */
const OPERATIONS_OF_A_WORKLOAD = 20;

/** What a look-up by name takes, and what follows from what it brings. */
export const OPERATIONS_OF_A_LOOKUP = 10;

/** The number of pods whose own volumes are looked at: the places of these are compared, and nearly always alike. */
const MOST_OWNERS = 16;

/** A claim that is not there has no volume that could move, and none is missed. */
export function ownClaimsOf({ metadata, ownClaims, replicas }: Workload, reading: Reading): PodFacts['ownClaims'] {
  const { prefixes, firstOrdinal } = ownClaims;
  if (prefixes.length === 0) return [];
  const byPod = Array.from({ length: Math.min(replicas, MOST_OWNERS) }, (_, index) =>
    prefixes.flatMap((prefix) => {
      reading.budget.spend(OPERATIONS_OF_A_LOOKUP);
      const found = reading.snapshot.get(
        'PersistentVolumeClaim',
        metadata.namespace,
        `${prefix}-${firstOrdinal + index}`,
      );
      if (!found.known || found.value === undefined) return [];
      return [claimFacts(found.value, { ...reading, missed: () => {} })];
    }),
  );
  return byPod.some((claims) => claims.length > 0) ? byPod : [];
}
