import type { ClaimRef } from './claim-use.ts';

/** What may be wrong with a claim, the gravest first: where a wrong move loses data, then what never ends by itself. */
export const CASES = {
  'claim-deleting': 'the claim is being deleted',
  'node-down': 'its node is down, and a pod there is not gone: no clock runs',
  'node-down-pod-gone': 'its node is down, and its pod is gone: the volume is still attached there',
  'deleted-node': 'it is still attached to a node that was deleted',
  'unmount-hangs': 'the volume does not come off a healthy node',
  'shared-volume-stuck':
    'pods hang on a volume that is mounted without being attached: its server or export does not answer',
  'two-owners': 'two owners want the claim on different nodes',
  'rollout-deadlock': 'a rollout waits for a claim that its old pod holds until the rollout is done',
  'replicas-split': 'replicas of one workload want the claim on different nodes',
  'volume-limit': 'nodes have as many volumes of this driver as they may',
  'mode-refused': 'the driver refuses the access mode',
  'slow-termination': 'the pod that holds the claim is still ending',
  'not-told': 'pods wait, and the objects do not tell why',
  'no-claim': 'there is no such claim',
  'nothing-wrong': 'nothing is wrong',
} as const;

export type Case = keyof typeof CASES;

/** Whether that can be acted upon as things are. */
export interface Safety {
  readonly is: 'safe' | 'unsafe' | 'by itself' | 'nothing to do';
  readonly because: string;
  /** What would make it safe; empty where nothing has to. */
  readonly wouldBe: string;
}

/** What is the matter with one claim. */
export interface Diagnosis {
  readonly claim: ClaimRef;
  readonly case: Case;
  /** What objects say. */
  readonly certain: readonly string[];
  /** What follows from it for want of a better explanation. */
  readonly likely: readonly string[];
  /** What could not be read, and might say otherwise. */
  readonly unseen: readonly string[];
  readonly safety: Safety;
  /** The node in question, where one is. */
  readonly node: string | undefined;
}

/** A diagnosis as the check for one case makes it. */
export type Found = Omit<Diagnosis, 'claim' | 'unseen' | 'likely' | 'node'> &
  Partial<Pick<Diagnosis, 'likely' | 'node'>>;

const RANKS: ReadonlyMap<string, number> = new Map(Object.keys(CASES).map((id, rank) => [id, rank]));

/** Whether nobody is kept waiting, so that a list of what is stuck leaves it out. */
export function isFine({ case: id }: Diagnosis): boolean {
  return id === 'nothing-wrong' || id === 'no-claim';
}

/** The gravest first; claims of one case by name. */
export function byGravity(one: Diagnosis, other: Diagnosis): number {
  const key = ({ claim }: Diagnosis): string => `${claim.namespace}/${claim.name}`;
  return (RANKS.get(one.case) ?? 0) - (RANKS.get(other.case) ?? 0) || (key(one) < key(other) ? -1 : 1);
}
