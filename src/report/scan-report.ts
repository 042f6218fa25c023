import type { Report, ReportedObject } from './report.ts';

/** What `scan` found in a cluster: the findings, and what else there is to know of it. */
export interface ScanReport extends Report {
  readonly cluster: ScannedCluster;
  /** By name, those where something was judged. */
  readonly namespaces: readonly ScannedNamespace[];
  /** Pods that wait for a volume now, of which no finding tells; absent where pods could not be read. */
  readonly waiting?: readonly ScannedWait[] | undefined;
  /** What does not count by an annotation, with the end of that where one is named. */
  readonly exempt: readonly ScannedExemption[];
  /** Objects that the webhook changed when they were applied. */
  readonly mutated: readonly ScannedMutation[];
  /** Absent where no node's failure hangs anything, or pods could not be read. */
  readonly worstNode?: WorstNode | undefined;
  /** What could not be read, and what that leaves open. */
  readonly unseen: readonly Unseen[];
}

/** The node whose failure hangs the most workloads with volumes. */
export interface WorstNode {
  readonly node: string;
  readonly hanging: number;
}

export interface ScannedCluster {
  /** What people call it: the context of the kubeconfig, or the file. */
  readonly name: string;
  /** When it was read, as `2026-12-31T23:59:59Z`. */
  readonly readAt: string;
  /** The one namespace that was judged; absent where all were. */
  readonly namespace?: string | undefined;
  /** Absent where they could not be listed. */
  readonly nodes?: number | undefined;
  readonly claims?: number | undefined;
  /** Claims by the driver of their volume, most first; those without a volume are `unbound`. */
  readonly claimsByDriver: readonly { readonly driver: string; readonly claims: number }[];
}

export interface ScannedNamespace {
  readonly name: string;
  /** The value of the label that names a team; absent where there is none. */
  readonly team?: string | undefined;
  /** What the webhook does there now: `enforce`, `warn`, `audit` or `off`; absent where its labels could not be read. */
  readonly mode?: string | undefined;
  readonly workloads: number;
  /** Objects that would be denied if they were created in a namespace that enforces, and those that would be warned of only. */
  readonly denied: number;
  readonly warned: number;
  /** Objects of which something stayed open. */
  readonly open: number;
}

export interface ScannedWait {
  readonly resource: ReportedObject;
  /** What it waits for, and where that is: one line. */
  readonly because: string;
}

export interface ScannedExemption {
  readonly resource: ReportedObject;
  readonly rules: readonly string[];
  readonly reason: string;
  /** The last day on which it counts, as `2026-12-31`. */
  readonly until?: string | undefined;
}

export interface ScannedMutation {
  readonly resource: ReportedObject;
  /** What was done, as the annotation tells. */
  readonly mutation: string;
  /** Whether the namespace still asks for it; absent where its labels could not be read. */
  readonly isAskedFor?: boolean | undefined;
}

export interface Unseen {
  /** What was asked for, as `pods` or `persistentvolumes`. */
  readonly list: string;
  /** Why it was not answered, with the permission that is missing where that is why. */
  readonly because: string;
  /** What nobody can tell without it. */
  readonly leavesOpen: string;
}
