import { type AccessMode, isOnePod } from '../facts/access-mode.ts';
import type { Claim } from '../facts/claim.ts';
import { type Fact, known } from '../facts/fact.ts';
import type { PodFacts, WorkloadFacts } from '../facts/gather.ts';
import type { NodeIndex } from '../facts/node-index.ts';
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
  const nodes = facts.nodes.known ? facts.nodes : known(supply([facts, ...others]));
  return {
    ...facts,
    ...assumedPod(facts, nodes, assumptions),
    otherUsers: { ...facts.otherUsers, pods: others.map((pod) => assumedPod(pod, nodes, assumptions)) },
  };
}

function assumedPod(facts: PodFacts, nodes: Fact<NodeIndex>, assumptions: Assumptions): PodFacts {
  const whole = (claim: Claim): Claim => assumedClaim(claim, assumptions);
  return { ...facts, nodes, claims: facts.claims.map(whole), ownClaims: facts.ownClaims.map((own) => own.map(whole)) };
}

function assumedClaim(claim: Claim, { attach, accessMode }: Assumptions): Claim {
  const attachable = claim.attachable.known || attach === 'unknown' ? claim.attachable : known(attach === 'yes');
  if (claim.accessModes.known) return { ...claim, attachable };
  if (accessMode === undefined) return claim;
  return { ...claim, attachable, accessModes: known([accessMode]), onePod: known(isOnePod([accessMode])) };
}

/** What was assumed of a claim, in words; nothing where all was known. `unknownClass` is its class, where nobody knows that. */
export function assumptionsAbout(
  claim: Claim,
  { attach, accessMode }: Assumptions,
  unknownClass: string | undefined,
): readonly string[] {
  const isMissing = !claim.accessModes.known;
  if (isMissing && accessMode === undefined) return [];
  const mode = isMissing ? [`claim ${claim.name} is not in the input and taken as ${accessMode}`] : [];
  if (claim.attachable.known || attach !== 'yes') return mode;
  const taken = `${isMissing ? 'it' : `claim ${claim.name}`} is taken for a disk`;
  if (unknownClass === undefined) return [...mode, taken];
  return [...mode, `class ${unknownClass} is not known, so ${taken}; put its StorageClass into the input`];
}
