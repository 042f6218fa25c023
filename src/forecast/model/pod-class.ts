import type { PodFacts } from '../../facts/gather.ts';
import { labelsOf, type Revision } from '../pod-labels.ts';
import type { HeldClaim, PodClass } from './cluster.ts';

/** Whose pods they are, and of which template. */
export interface PodKind {
  readonly facts: PodFacts;
  readonly revision: Revision;
  /** Of a pod that has one; nothing for whichever of them. */
  readonly number: number | undefined;
  readonly isOwn: boolean;
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
  readonly countsCordons: boolean;
  readonly claims: readonly HeldClaim[];
  readonly volumes: readonly number[];
  readonly #kind: Pick<PodKind, 'revision' | 'number'>;
  #labels: ReadonlyMap<string, string> | undefined;

  constructor({ facts, isOwn, countsCordons, claims, ...kind }: PodKind) {
    this.facts = facts;
    this.template = facts.workload.template;
    this.namespace = facts.workload.metadata.namespace;
    this.namespaceLabels = facts.namespaceLabels;
    this.isOwn = isOwn;
    this.countsCordons = countsCordons;
    this.claims = claims;
    this.volumes = [...new Set(claims.map(({ volume }) => volume))];
    this.#kind = kind;
  }

  get labels(): ReadonlyMap<string, string> {
    this.#labels ??= labelsOf(this.facts.workload, this.#kind.revision, this.#kind.number);
    return this.#labels;
  }

  /** A class of them, for the one node where a DaemonSet means them to be. */
  classed(index: number, onlyNode: number | undefined): PodClass {
    const { facts, template, namespace, namespaceLabels, isOwn, countsCordons, claims, volumes } = this;
    const labels = () => this.labels;
    return {
      ...{ index, onlyNode, facts, template, namespace, namespaceLabels, isOwn, countsCordons, claims, volumes },
      get labels() {
        return labels();
      },
    };
  }
}
