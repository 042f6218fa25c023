import type { Claim } from '../facts/claim.ts';
import { NodeSearch } from '../facts/node-search.ts';
import type { PodFacts, WorkloadFacts } from '../facts/workload-facts.ts';
import { type AccessMode, isOnePod } from '../objects/access-mode.ts';
import { type Fact, known } from '../objects/fact.ts';
import type { NodeCount, NodeSupply } from './assumed-nodes.ts';

/** How to take what the input does not tell. */
export interface Assumptions {
  /** Whether volumes of which nothing is known are attached to one node at a time. */
  readonly attach: 'yes' | 'no' | 'unknown';
  /** The mode of claims that are not in the input. */
  readonly accessMode: AccessMode | undefined;
  /** The nodes, where the input has none. */
  readonly nodes: NodeCount;
}

/** The facts with what they lack filled in. What cannot be assumed stays unknown. */
export function assumed(facts: WorkloadFacts, assumptions: Assumptions, supply: NodeSupply): WorkloadFacts {
  const others = facts.otherUsers.pods;
  const { nearby } = facts;
  const nodes = facts.nodes.known
    ? facts.nodes
    : known(new NodeSearch(supply([facts, ...others, ...nearby.pods]), facts.budget));
  return {
    ...facts,
    ...assumedPod(facts, nodes, assumptions),
    otherUsers: { ...facts.otherUsers, pods: others.map((pod) => assumedPod(pod, nodes, assumptions)) },
    nearby: { ...nearby, pods: nearby.pods.map((pod) => assumedPod(pod, nodes, assumptions)) },
  };
}

function assumedPod(facts: PodFacts, nodes: Fact<NodeSearch>, assumptions: Assumptions): PodFacts {
  const whole = (claim: Claim): Claim => assumedClaim(claim, assumptions);
  return { ...facts, nodes, claims: facts.claims.map(whole), ownClaims: facts.ownClaims.map((own) => own.map(whole)) };
}

function assumedClaim(claim: Claim, { attach, accessMode }: Assumptions): Claim {
  const stays = claim.attachable.known || attach === 'unknown' || (attach === 'yes' && mayBeShared(claim));
  const attachable = stays ? claim.attachable : known(attach === 'yes');
  if (claim.accessModes.known) return { ...claim, attachable };
  if (accessMode === undefined) return claim;
  return { ...claim, attachable, accessModes: known([accessMode]), onePod: known(isOnePod([accessMode])) };
}

/** Its class, or the provisioner of that, has the name of a file system that nodes share, so it is hardly a disk. */
function mayBeShared({ madeBy = [] }: Claim): boolean {
  return madeBy.some((name) => name.split(/[^A-Za-z0-9]+/).some((token) => SHARED.test(token)));
}

const SHARED = /^(?:nfs|smb|cifs|efs|glusterfs|cephfs)(?:v?\d)?$/i;

/** What was assumed of a claim, in words; nothing where all was known. `unknownClass` is its class, where nobody knows that. */
export function assumptionsAbout(
  claim: Claim,
  { attach, accessMode }: Assumptions,
  unknownClass: string | undefined,
): readonly string[] {
  const isMissing = !claim.accessModes.known;
  if (isMissing && accessMode === undefined) return [];
  const mode = isMissing ? [`claim ${claim.name} is ${accessMode} (it is not in the input)`] : [];
  if (claim.attachable.known || attach !== 'yes' || mayBeShared(claim)) return mode;
  if (unknownClass !== undefined)
    return [
      ...mode,
      `class ${unknownClass} makes disks that attach to one node (its StorageClass is not in the input)`,
    ];
  const why = isMissing ? '' : ` (${whyUnknown(claim.attachable.because)})`;
  return [...mode, `claim ${claim.name} is a ${DISK}${why}`];
}

const DISK = 'disk that attaches to one node';

function whyUnknown(because: string): string {
  return /storage class$|names no storage class/.test(because) ? 'no storage class given' : because;
}
