import type { RuleMeta, Severity } from '../rules/rule.ts';
import type { Picture } from '../stories/picture.ts';

/** Where in the input something stands; lines and columns count from 1. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The chart's template that `helm template` made this of, as its `# Source:` comment tells. */
  readonly template?: string | undefined;
}

/** The object that a finding is about, as its manifest names it. */
export interface ReportedObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** `default` where the manifest names none; absent for an object that lives in no namespace. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The other side of a finding, such as the claim that a workload mounts. */
export interface Related extends Location {
  readonly message: string;
}

/** One finding with where it stands. */
export interface ReportedFinding {
  readonly rule: RuleMeta;
  readonly severity: Severity;
  readonly resource: ReportedObject;
  /** Its manifest names no namespace, and people look for it as it is written. */
  readonly namespaceAssumed?: boolean | undefined;
  readonly claims: readonly string[];
  /** Rules that found the same, of which no finding tells beside this one. */
  readonly also: readonly RuleMeta[];
  /** What is wrong with this object, and why: one line without the rule's id. */
  readonly message: string;
  /** What was assumed where the input tells nothing, in words. */
  readonly assumed: readonly string[];
  /** What helps this object first. */
  readonly fix: string;
  /** What helps as well, in another way. */
  readonly or?: string | undefined;
  /** Whether `lint --fix` writes what helps first. */
  readonly writable?: boolean | undefined;
  /** The field to change, where the object was written; absent for an object of a live cluster. */
  readonly place?: Location | undefined;
  readonly related: readonly Related[];
  /** What of a live cluster it rests on, where nothing was written: claims with what they are, and who else uses them. */
  readonly evidence?: readonly Evidence[] | undefined;
  /** How it comes about, line by line, where that was asked for. */
  readonly story?: readonly string[] | undefined;
  /** After each line of the story, where everything is; none where no way is shown. */
  readonly pictures?: readonly Picture[] | undefined;
  /** Whether it has come about, as far as running pods tell; absent where none are known. */
  readonly now?: Standing | undefined;
  /** Stays the same while rule, object and claims do, wherever the lines move. */
  readonly fingerprint: string;
}

export interface Evidence {
  /** `made by`: its controller, where somebody would have to change it. */
  readonly label: 'claim' | 'used by' | 'made by';
  readonly text: string;
}

/** What a finding is to the pods that run. */
export interface Standing {
  /**
   * `struck`: a pod waits for it now. `lucky`: its pods are where it cannot strike, which nothing makes last. `armed`: the next
   * rollout, or the next pod that moves, may bring it about.
   */
  readonly state: 'struck' | 'lucky' | 'armed';
  /** Which pods on which nodes say so: one line; empty where there is no more to say. */
  readonly because: string;
}

/** A question about an object that stayed open. */
export interface ReportedOpen {
  readonly rule: RuleMeta;
  readonly resource: ReportedObject;
  readonly namespaceAssumed?: boolean | undefined;
  readonly because: string;
  readonly place?: Location | undefined;
  /** What may come of it, line by line, where that was asked for. */
  readonly story?: readonly string[] | undefined;
  /** After each line of the story, where everything is. */
  readonly pictures?: readonly Picture[] | undefined;
}

/** A part of the input that could not be read. */
export interface ReportedUnreadable {
  readonly file: string;
  readonly line: number;
  readonly because: string;
}

/** What `lint` and `scan` found; every format prints this and nothing else. */
export interface Report {
  /** Findings in the order of the input, and those of one object with the gravest first. */
  readonly findings: readonly ReportedFinding[];
  readonly inconclusive: readonly ReportedOpen[];
  readonly unreadable: readonly ReportedUnreadable[];
  /** What does not count because somebody said so, and why. */
  readonly ignored: readonly { readonly name: string; readonly reason: string }[];
  /** What else there is to tell, one line each: what was skipped and why, ignores that matched nothing. */
  readonly notes: readonly string[];
  readonly summary: {
    readonly objects: number;
    readonly workloads: number;
    readonly error: number;
    readonly warning: number;
    readonly info: number;
    readonly ignored: number;
    readonly inconclusive: number;
  };
}

/** The path as other tools compare it with the paths in a repository: with forward slashes, and without a leading `./`. */
export function filePath(file: string): string {
  return file.replaceAll('\\', '/').replace(/^(?:\.\/+)+/, '');
}

/** `Deployment shop/web`, or `Node node-a` for an object that lives in no namespace. */
export function objectName({ kind, namespace, name }: ReportedObject): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** The message with all that it rests on, for whoever has one line. */
export function wholeMessage({ message, assumed }: Pick<ReportedFinding, 'message' | 'assumed'>): string {
  return assumed.length === 0 ? message : `${message}; assumed: ${assumed.join('; ')}`;
}
