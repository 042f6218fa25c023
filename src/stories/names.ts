import type { Cluster, HeldClaim } from '../forecast/cluster.ts';
import { firstOf } from '../forecast/pod-labels.ts';
import type { Question } from '../forecast/question.ts';
import type { Workload } from '../objects/workload.ts';
import type { FollowedPod } from './followed.ts';

/** Nodes that were assumed are told apart in the order of a story: when they come into it, and ever after. */
const COMING = ['one node', 'another node', 'a third node', 'a fourth node', 'a fifth node'];
const KNOWN = ['the first node', 'the second node', 'the third node', 'the fourth node', 'the fifth node'];

/** What was assumed has a name with a space, which no node has. */
export function isAssumedNode(name: string): boolean {
  return name.includes(' ');
}

/** Names pods and nodes, each always alike within one story. */
export class Names {
  readonly #workload: Workload;
  readonly #question: Question;
  readonly #counts: ReadonlyMap<number, number>;
  readonly #hasOld: boolean;
  readonly #assumed: string[] = [];
  readonly #named = new Set<string>();

  /** Of each class as many pods occur as it is counted. */
  constructor(workload: Workload, question: Question, counts: ReadonlyMap<number, number>) {
    this.#workload = workload;
    this.#question = question;
    this.#counts = counts;
    this.#hasOld = question.old.some((podClass) => counts.has(podClass));
  }

  get #cluster(): Cluster {
    return this.#question.world.cluster;
  }

  node(index: number): string {
    return this.nodeCalled(this.#cluster.names[index] ?? 'no node');
  }

  /** The nodes that have come into the story, by their names in the cluster. */
  get named(): ReadonlySet<string> {
    return this.#named;
  }

  /** As what stands there is headed: `node-a`, `first node`. */
  nodeInPicture(name: string): string {
    this.nodeCalled(name);
    return this.nodeCalled(name).replace(/^the /, '');
  }

  nodeCalled(name: string): string {
    this.#named.add(name);
    if (!isAssumedNode(name)) return name;
    const at = this.#assumed.indexOf(name);
    if (at >= 0) return KNOWN[at] ?? `node ${at + 1}`;
    const number = this.#assumed.push(name);
    return COMING[number - 1] ?? `node ${number}`;
  }

  /** In the order of their numbers, whoever came first. */
  pods(pods: readonly FollowedPod[]): string {
    const all = pods.toSorted((a, b) => a.podClass - b.podClass || a.number - b.number);
    const areOwn = all.every(({ podClass }) => this.#cluster.classes[podClass]?.isOwn);
    // Those of others have long names.
    return listed(
      all.map((pod) => this.pod(pod)),
      areOwn ? MOST_NAMES : MOST_NAMES / 2,
    );
  }

  /** `web-1 waits`, `web-1 and web-2 wait`. */
  podsDo(pods: readonly FollowedPod[], does: string): string {
    return `${this.pods(pods)} ${verb(pods, does)}`;
  }

  /** `claim data`, `claims data and logs`; a disk that the pods name without a claim is `volume disk`. */
  claims(names: readonly string[]): string {
    const { volumes } = this.#workload.template;
    const areDisks = names.every((name) => volumes.some(({ type, volume }) => type === 'disk' && volume === name));
    return `${areDisks ? 'volume' : 'claim'}${names.length > 1 ? 's' : ''} ${listed(names)}`;
  }

  claimsDo(names: readonly string[], does: string): string {
    return `${this.claims(names)} ${verb(names, does)}`;
  }

  /** `web-old`, `web-new-2`, `the old db-0`, `the new agent on node-a`, `the pod of Deployment worker`. */
  pod({ podClass, number }: FollowedPod): string {
    const { world, old } = this.#question;
    const { facts, isOwn } = world.cluster.classes[podClass] ?? {};
    if (facts === undefined) return 'a pod';
    const isOneOfSeveral = (this.#counts.get(podClass) ?? 0) > 1;
    if (!isOwn) return this.#otherPod(podClass) + (isOneOfSeveral ? ` (${number})` : '');
    const { workload } = facts;
    const { name } = workload.metadata;
    const isOld = old.includes(podClass);
    const ordinal = Math.max(0, ...world.own.map((classes) => classes.indexOf(podClass)));
    const age = this.#hasOld ? `the ${isOld ? 'old' : 'new'} ` : '';
    const numbered = isOneOfSeveral || !this.#hasOld ? `-${number}` : '';
    switch (workload.kind) {
      case 'StatefulSet':
        return `${age}${name}-${firstOf(workload) + ordinal}`;
      case 'DaemonSet':
        return `${age}${name} on ${this.node(ordinal)}`;
      case 'CronJob':
      case 'Job': {
        const run = this.#hasOld ? (isOld ? '-first' : '-next') : '';
        return `${name}${run}${workload.indexed ? `-${ordinal}` : numbered}`;
      }
      case 'Deployment':
      case 'ReplicaSet':
        return `${name}${this.#hasOld ? (isOld ? '-old' : '-new') : ''}${numbered}`;
      default:
        return workload.kind satisfies never;
    }
  }

  /** Of a StatefulSet the one that holds the claim is known by its name, and its siblings are not. */
  #otherPod(podClass: number): string {
    const { classes } = this.#cluster;
    const { kind, metadata } = classes[podClass]?.facts.workload ?? this.#workload;
    const { namespace, name } = metadata;
    const isSibling = classes.some(
      (other) => other.index < podClass && !other.isOwn && other.facts.workload.metadata === metadata,
    );
    const where = namespace === this.#workload.metadata.namespace ? '' : `${namespace}/`;
    return `${isSibling ? 'another' : 'the'} pod of ${kind} ${where}${name}`;
  }
}

export function claimNames(claims: readonly HeldClaim[]): readonly string[] {
  return claims.map(({ claim }) => claim.name);
}

/** As so many do it: `wait` and `waits`, `go` and `goes`, `are` and `is`. */
export function verb(some: readonly unknown[], does: string): string {
  return some.length > 1 ? does : (IRREGULAR.get(does) ?? `${does}s`);
}

const IRREGULAR = new Map([
  ['are', 'is'],
  ['have', 'has'],
  ['go', 'goes'],
]);

export function itOrThem(some: readonly unknown[]): string {
  return some.length > 1 ? 'them' : 'it';
}

const MOST_NAMES = 4;

/** `a`, `a and b`, `a, b and c`, `a, b, c and 4 more`. */
export function listed(all: readonly string[], most = MOST_NAMES): string {
  const shown = all.length > most ? [...all.slice(0, most - 1), `${all.length - most + 1} more`] : all;
  const last = shown.at(-1) ?? 'none';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}
