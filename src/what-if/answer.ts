/** What becomes of the pods of one object. From the worst to the best. */
export type Outcome =
  /** No other node takes them, whatever anybody does to the old ones. */
  | 'cannot'
  /** Nothing goes on before somebody acts, or the node returns. */
  | 'hangs'
  /** A drain does not get rid of them. */
  | 'blocked'
  | 'open'
  /** Nobody makes them again. */
  | 'lost'
  | 'comes-up'
  /** They are where their node is. */
  | 'stays';

export const OUTCOMES: readonly Outcome[] = ['cannot', 'hangs', 'blocked', 'open', 'lost', 'comes-up', 'stays'];

/** A step of what happens, and when: seconds since the beginning, as far as that is known. */
export interface Step {
  readonly from?: number;
  readonly to?: number;
  readonly says: string;
}

/** One object whose pods are on a node that goes. */
export interface Affected {
  readonly resource: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly pods: readonly { readonly name: string; readonly node: string }[];
  readonly outcome: Outcome;
  /** Whether the scheduler's choice, or what is not known, may also let it come up. */
  readonly mayComeUp: boolean;
  /** Within how many seconds it is up again where nobody acts, but for what images and drivers take; absent where it is not. */
  readonly withinSeconds?: number;
  readonly because: string;
  readonly story: readonly Step[];
}

/** What is foretold of a node that fails or is drained. */
export interface Answer {
  /** As `node-1 fails`. */
  readonly event: string;
  readonly nodes: readonly string[];
  /** The worst first. */
  readonly affected: readonly Affected[];
  /** What has to be known about all of it. */
  readonly notes: readonly string[];
}

export function worstFirst(affected: readonly Affected[]): readonly Affected[] {
  const nameOf = ({ resource: { namespace, kind, name } }: Affected): string => `${namespace}/${kind}/${name}`;
  return affected.toSorted(
    (one, other) =>
      OUTCOMES.indexOf(one.outcome) - OUTCOMES.indexOf(other.outcome) || (nameOf(one) < nameOf(other) ? -1 : 1),
  );
}
