import type { PodFacts } from '../facts/workload-facts.ts';
import type { HeldClaim, PodClass } from './cluster.ts';
import { labelsOf, type Revision } from './pod-labels.ts';

/** Whose pods they are, and of which template. */
export interface PodKind {
  readonly facts: PodFacts;
  readonly revision: Revision;
  /** Of a pod that has one; nothing for whichever of them. */
  readonly number: number | undefined;
  readonly isOwn: boolean;
  readonly areThere: boolean;
  readonly countsCordons: boolean;
  readonly claims: readonly HeldClaim[];
}

/** Pods before it is known which nodes they are told apart by. Most of them nobody asks for their labels. */
export class PodDraft implements Omit<PodClass, 'index' | 'onlyNode'> {
  readonly facts: PodFacts;
  readonly template: PodFacts['workload']['template'];
  readonly namespace: string;
  readonly namespaceLabels: PodFacts['namespaceLabels'];
  readonly isOwn: boolean;
  readonly areThere: boolean;
  readonly countsCordons: boolean;
  readonly claims: readonly HeldClaim[];
  readonly volumes: readonly number[];
  readonly mounted: readonly number[];
  readonly #kind: Pick<PodKind, 'revision' | 'number'>;
  #labels: ReadonlyMap<string, string> | undefined;

  constructor({ facts, isOwn, areThere, countsCordons, claims, ...kind }: PodKind) {
    this.facts = facts;
    this.template = facts.workload.template;
    this.namespace = facts.workload.metadata.namespace;
    this.namespaceLabels = facts.namespaceLabels;
    this.isOwn = isOwn;
    this.areThere = areThere;
    this.countsCordons = countsCordons;
    this.claims = claims;
    this.volumes = [...new Set(claims.map(({ volume }) => volume))];
    this.mounted = claims.some(({ claim }) => claim.unmounted)
      ? [...new Set(claims.flatMap(({ claim, volume }) => (claim.unmounted ? [] : [volume])))]
      : this.volumes;
    this.#kind = kind;
  }

  get labels(): ReadonlyMap<string, string> {
    this.#labels ??= labelsOf(this.facts.workload, this.#kind.revision, this.#kind.number);
    return this.#labels;
  }
}

/** A class of such pods, for the one node where a DaemonSet means them to be, or for any. */
export class NumberedPods implements PodClass {
  readonly index: number;
  readonly onlyNode: number | undefined;
  readonly facts: PodFacts;
  readonly template: PodFacts['workload']['template'];
  readonly namespace: string;
  readonly namespaceLabels: PodFacts['namespaceLabels'];
  readonly isOwn: boolean;
  readonly areThere: boolean;
  readonly countsCordons: boolean;
  readonly claims: readonly HeldClaim[];
  readonly volumes: readonly number[];
  readonly mounted: readonly number[];
  readonly #draft: PodDraft;

  constructor(draft: PodDraft, index: number, onlyNode: number | undefined) {
    this.index = index;
    this.onlyNode = onlyNode;
    this.facts = draft.facts;
    this.template = draft.template;
    this.namespace = draft.namespace;
    this.namespaceLabels = draft.namespaceLabels;
    this.isOwn = draft.isOwn;
    this.areThere = draft.areThere;
    this.countsCordons = draft.countsCordons;
    this.claims = draft.claims;
    this.volumes = draft.volumes;
    this.mounted = draft.mounted;
    this.#draft = draft;
  }

  get labels(): ReadonlyMap<string, string> {
    return this.#draft.labels;
  }
}
