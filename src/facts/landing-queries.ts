import { type PodTemplate, selectorsOf } from '../objects/pod-template.ts';
import type { NodeSelectorTerm, Requirement } from '../objects/selector.ts';
import type { Workload } from '../objects/workload.ts';
import { Memo } from '../snapshot/memo.ts';
import type { NodeQuery } from '../snapshot/node-query.ts';
import type { Claim, Place } from './claim.ts';

type Choices = NodeQuery['selectors'];

/** What decides where pods land. */
export interface Landing {
  readonly workload: Pick<Workload, 'template'>;
  readonly claims: readonly Claim[];
}

/** The queries for nodes that fit, made of parts that are the same objects for the same template and the same claims. */
export class LandingQueries {
  readonly #lasting = new Memo<Landing, NodeQuery>();
  readonly #today = new Memo<Landing, NodeQuery>();
  readonly #selectors = new Memo<PodTemplate, Choices>();
  readonly #topologies = new Memo<PodTemplate, Choices>();
  readonly #ofClaims = new Memo<readonly Claim[], Pick<NodeQuery, 'selectors' | 'zones'>>();

  /** The nodes that fit, unless a nodeName says where. */
  of(landing: Landing, countsTransient: boolean): NodeQuery {
    return countsTransient
      ? this.#today.of(landing, (one) => this.#queryFor(one, true))
      : this.#lasting.of(landing, (one) => this.#queryFor(one, false));
  }

  #queryFor({ workload: { template }, claims }: Landing, countsTransient: boolean): NodeQuery {
    const volumes = this.#ofClaims.of(claims, placesOf);
    return {
      selectors: [...this.selectorsOf(template), ...this.#topologies.of(template, topologiesOf), ...volumes.selectors],
      zones: volumes.zones,
      tolerations: template.tolerations,
      countsTransient,
    };
  }

  selectorsOf(template: PodTemplate): Choices {
    return this.#selectors.of(template, selectorsOf);
  }
}

/** Each that says something, and of those that are one object only one. */
function placesOf(places: readonly Place[]): Pick<NodeQuery, 'selectors' | 'zones'> {
  const selectors = new Set(places.flatMap(({ nodeAffinity }) => (nodeAffinity === undefined ? [] : [nodeAffinity])));
  return { selectors: [...selectors], zones: places.map(({ zones }) => zones).filter(({ size }) => size > 0) };
}

/**
 * A node without a label by which the pod has to share a domain, or to spread, is none for it
 * (`interpodaffinity/filtering.go:satisfyPodAffinity`, `podtopologyspread/filtering.go:Filter`).
 */
function topologiesOf({ podAffinity, spread }: PodTemplate): readonly (readonly NodeSelectorTerm[])[] {
  const keys = new Set([...podAffinity, ...spread].map(({ topologyKey }) => topologyKey));
  return keys.size === 0 ? [] : [[{ expressions: [...keys].map(isThere), fields: [] }]];
}

export function isThere(key: string): Requirement {
  return { key, operator: 'Exists', values: [] };
}
