import type { Cluster } from '../forecast/cluster.ts';
import { firstOf } from '../forecast/pod-labels.ts';
import type { Workload } from '../objects/workload.ts';
import type { FollowedPod } from './followed.ts';

/** Nodes that were assumed are told apart in the order of a story: when they come into it, and ever after. */
const COMING = ['one node', 'another node', 'a third node', 'a fourth node', 'a fifth node'];
const KNOWN = ['the first node', 'the second node', 'the third node', 'the fourth node', 'the fifth node'];

/** What was assumed has a name with a space, which no node has. */
export function isAssumedNode(name: string): boolean {
  return name.includes(' ');
}

/** What a story is about, and how much of it there is. */
export interface Named {
  readonly workload: Workload;
  readonly cluster: Cluster;
  /** By class, how many of its pods occur in the story. */
  readonly counts: ReadonlyMap<number, number>;
  /** Whether pods of an older template, or of an earlier run, are there too. */
  readonly hasOld: boolean;
  readonly isOld: (podClass: number) => boolean;
  /** Of the workload itself, by ordinal or node, the classes of its pods. */
  readonly ordinals: readonly (readonly number[])[];
}

/** Names pods and nodes, each always alike within one story. */
export class Names {
  readonly #named: Named;
  readonly #assumed: string[] = [];

  constructor(named: Named) {
    this.#named = named;
  }

  node(index: number): string {
    return this.nodeCalled(this.#named.cluster.names[index] ?? 'no node');
  }

  nodeCalled(name: string): string {
    if (!isAssumedNode(name)) return name;
    const at = this.#assumed.indexOf(name);
    if (at >= 0) return KNOWN[at] ?? `node ${at + 1}`;
    this.#assumed.push(name);
    return COMING[this.#assumed.length - 1] ?? `node ${this.#assumed.length}`;
  }

  /** In the order of their numbers, whoever came first. */
  pods(pods: readonly FollowedPod[]): string {
    const all = pods.toSorted((a, b) => a.podClass - b.podClass || a.number - b.number);
    const isOwn = ({ podClass }: FollowedPod): boolean => this.#named.cluster.classes[podClass]?.isOwn ?? false;
    // Those of others have long names.
    return listed(
      all.map((pod) => this.pod(pod)),
      all.every(isOwn) ? MOST_NAMES : MOST_NAMES / 2,
    );
  }

  /** `claim data`, `claims data and logs`; a disk that the pods name without a claim is `volume disk`. */
  claims(names: readonly string[]): string {
    const { template } = this.#named.workload;
    const isDisk = (name: string): boolean =>
      template.volumes.some((one) => one.type === 'disk' && one.volume === name);
    const word = names.every(isDisk) ? 'volume' : 'claim';
    return `${word}${names.length > 1 ? 's' : ''} ${listed(names)}`;
  }

  /** `web-old`, `web-new-2`, `the old db-0`, `the new agent on node-a`, `the pod of Deployment worker`. */
  pod({ podClass, number }: FollowedPod): string {
    const { cluster, counts, hasOld, isOld } = this.#named;
    const { facts, isOwn } = cluster.classes[podClass] ?? {};
    if (facts === undefined) return 'a pod';
    const { workload } = facts;
    const { name } = workload.metadata;
    const several = (counts.get(podClass) ?? 0) > 1;
    if (!isOwn) return this.#otherPod(podClass, several ? number : undefined);
    const age = isOld(podClass) ? 'old' : 'new';
    const ordinal = this.#ordinalOf(podClass);
    switch (workload.kind) {
      case 'StatefulSet':
        return `${hasOld ? `the ${age} ` : ''}${name}-${firstOf(workload) + ordinal}`;
      case 'DaemonSet':
        return `${hasOld ? `the ${age} ` : ''}${name} on ${this.node(ordinal)}`;
      case 'CronJob':
      case 'Job': {
        const which = workload.indexed ? `-${ordinal}` : several || !hasOld ? `-${number}` : '';
        return `${name}${hasOld ? (isOld(podClass) ? '-first' : '-next') : ''}${which}`;
      }
      case 'Deployment':
      case 'ReplicaSet':
        return `${name}${hasOld ? `-${age}` : ''}${several || !hasOld ? `-${number}` : ''}`;
      default:
        return workload.kind satisfies never;
    }
  }

  #ordinalOf(podClass: number): number {
    for (const classes of this.#named.ordinals) {
      const at = classes.indexOf(podClass);
      if (at >= 0) return at;
    }
    return 0;
  }

  /** Of a StatefulSet the one that holds the claim is known by its name, and its siblings are not. */
  #otherPod(podClass: number, number: number | undefined): string {
    const { classes } = this.#named.cluster;
    const { facts } = classes[podClass] ?? {};
    const { kind, metadata } = facts?.workload ?? {};
    const isElsewhere = metadata?.namespace !== this.#named.workload.metadata.namespace;
    const name = isElsewhere ? `${metadata?.namespace}/${metadata?.name}` : metadata?.name;
    const isSibling = classes.some(
      (other) => other.index < podClass && !other.isOwn && other.facts.workload.metadata === metadata,
    );
    const which = number === undefined ? '' : ` (${number})`;
    return `${isSibling ? 'another' : 'the'} pod of ${kind} ${name}${which}`;
  }
}

const MOST_NAMES = 4;

/** `a`, `a and b`, `a, b and c`, `a, b, c and 4 more`. */
export function listed(all: readonly string[], most = MOST_NAMES): string {
  const shown = all.length > most ? [...all.slice(0, most - 1), `${all.length - most + 1} more`] : all;
  const last = shown.at(-1) ?? 'none';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}
