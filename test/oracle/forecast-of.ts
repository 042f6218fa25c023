import { Budget } from '../../src/budget.ts';
import { gatherFacts } from '../../src/facts/gather.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import type { WorkloadFacts } from '../../src/facts/workload-facts.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import type { Outcome, Outcomes } from '../../src/forecast/outcome.ts';
import type { Cause } from '../../src/forecast/reasons.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { isObject, type JsonObject } from '../../src/objects/json.ts';
import { WORKLOAD_KINDS, type WorkloadKind } from '../../src/objects/kinds.ts';
import { workloadFrom } from '../../src/objects/read-workload.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import type { Situation } from './situation.ts';

/** What the product says will happen. */
export interface Foretold {
  readonly multiAttach: boolean;
  readonly stuck: boolean;
  readonly reasons: readonly string[];
  /** Why any pod may wait for ever, of this rollout or among the replicas. */
  readonly causes: readonly Cause[];
  /** What it says it does not know; a scenario has everything that is needed, so anything here is a fault. */
  readonly open: readonly string[];
  /** The same question as admission asks it, without knowing where the old pods are. */
  readonly atAdmission: { readonly multiAttach: boolean; readonly stuck: boolean };
}

/** What of the product is asked: as it is here, or at another commit. */
export interface Product {
  readonly ClusterState: typeof ClusterState;
  readonly putObject: typeof putObject;
  readonly gatherFacts: typeof gatherFacts;
  readonly storageMatrix: typeof storageMatrix;
  readonly workloadFrom: typeof workloadFrom;
  readonly forecast: typeof forecast;
}

/** The harness plays kubelets under which pods of Jobs never end. */
const played: typeof forecast = (facts, running, how) => forecast(facts, running, { podsEnd: false, ...how });

export const PRODUCT: Product = { ClusterState, putObject, gatherFacts, storageMatrix, workloadFrom, forecast: played };

/** The workload that is asked for with everything around it, and as it was until now where it is updated. */
export interface Asked {
  readonly facts: WorkloadFacts;
  readonly before: WorkloadFacts | undefined;
}

/** The one place where the product reads what the harness made. */
export function askedIn(
  { action, objects, running, wanted }: Situation,
  { ClusterState, putObject, gatherFacts, storageMatrix, workloadFrom }: Product = PRODUCT,
): Asked {
  const cluster = new ClusterState();
  for (const object of objects) putObject(cluster, json(object));
  const factsOf = (object: object): WorkloadFacts => {
    const plain = json(object);
    return gatherFacts(workloadFrom(kindOf(plain), plain), cluster, storageMatrix(), new Budget()).facts;
  };
  return {
    facts: factsOf(wanted),
    before: action === 'update' && running !== undefined ? factsOf(running) : undefined,
  };
}

/** What the product says of a situation, with the places of the old pods and without. */
export function forecastOf(situation: Situation, product: Product = PRODUCT): Foretold {
  const { action, places } = situation;
  const { facts, before } = askedIn(situation, product);
  const here = product.forecast(facts, { before, ...(places.length === 0 ? {} : { places: new Set(places) }) });
  const anywhere = summary(action, product.forecast(facts, { before }).certain);
  const { multiAttach, stuck } = anywhere;
  return {
    ...summary(action, here.certain),
    causes: causesOf(action, here.certain),
    open: here.open,
    atAdmission: { multiAttach, stuck },
  };
}

function causesOf(action: Situation['action'], outcomes: Outcomes): readonly Cause[] {
  const waits = [outcomeOf(action, outcomes), outcomes.steady].flatMap((outcome) => outcome.waits);
  const others = outcomes.shared.flatMap(({ reasons }) => reasons);
  return [...new Set([...waits, ...others].map(({ cause }) => cause))];
}

/** The rollout for an update, the replicas among themselves for anything else, and what others do to both. */
function summary(action: Situation['action'], outcomes: Outcomes): Said {
  const own = outcomeOf(action, outcomes);
  const { shared } = outcomes;
  const others = shared.flatMap(({ reasons }) => reasons);
  return {
    multiAttach: own.multiAttach || others.some(({ cause }) => cause === 'volume-elsewhere'),
    stuck: own.stuck || others.length > 0,
    reasons: [...own.waits, ...others].map(({ cause, claims }) => [cause, ...claims].join(' ')),
  };
}

function outcomeOf(action: Situation['action'], { rollout, steady, autoscaled }: Outcomes): Outcome {
  switch (action) {
    case 'update':
      return rollout;
    case 'create':
    case 'scale':
      return steady;
    case 'autoscale':
      if (autoscaled === undefined) throw new Error('The forecast knows of no autoscaler');
      return autoscaled.outcome;
    default:
      return action satisfies never;
  }
}

type Said = Pick<Foretold, 'multiAttach' | 'stuck' | 'reasons'>;

function kindOf(object: JsonObject): WorkloadKind {
  const kind = WORKLOAD_KINDS.find((candidate) => candidate === object.kind);
  if (kind === undefined) throw new Error(`${String(object.kind)} is no workload`);
  return kind;
}

export function json(object: object): JsonObject {
  const plain: unknown = JSON.parse(JSON.stringify(object));
  if (!isObject(plain)) throw new Error('A manifest is an object');
  return plain;
}
