import { isExclusive } from '../facts/access-mode.ts';
import type { Claim } from '../facts/claim.ts';
import { type Fact, known } from '../facts/fact.ts';
import type { WorkloadFacts } from '../facts/gather.ts';
import { HOSTNAME, type Node } from '../facts/node.ts';
import { NodeIndex } from '../facts/node-index.ts';
import { NodeSearch } from '../facts/node-search.ts';
import type { PodTemplate } from '../facts/pod-template.ts';
import type { Strategy, Workload } from '../facts/workload.ts';
import { landingNodes } from '../forecast/placement.ts';
import { overlaps, podsThatStay } from '../forecast/rolling-update.ts';
import { isRolling, maxSurge, maxUnavailable } from './because.ts';
import { isAssumedNode, listed } from './names.ts';
import { notOnOthers } from './not-on-others.ts';

/** What may save a workload, and the workload without it. */
export interface Trait {
  readonly because: string;
  readonly without: (facts: WorkloadFacts) => WorkloadFacts;
  /** What it saves from in the first place: all pods at once, else a rollout. */
  readonly isAboutAll?: true;
}

/** All that may save it, the most important first. */
export function traitsOf(facts: WorkloadFacts): readonly Trait[] {
  return [sharedVolumes, oneNode, placedVolumes, ownVolumes, together, spread, strategy, concurrency, onePod].flatMap(
    (trait) => trait(facts) ?? [],
  );
}

type TraitOf = (facts: WorkloadFacts) => Trait | undefined;

/** Volumes that several nodes may have at once. */
const sharedVolumes: TraitOf = ({ claims }) => {
  const shared = claims.filter((claim) => !isForOneNode(claim));
  if (shared.length === 0) return undefined;
  const byReason = Map.groupBy(shared, whyShared);
  return {
    because: [...byReason].map(([why, some]) => `${listed(some.map(({ name }) => name))} ${why}`).join('; '),
    without: (facts) => ({ ...facts, claims: facts.claims.map(forOneNode) }),
  };
};

/** Claims of which something is not known as disks for one node: it passes all the same. */
export function withoutDoubt(facts: WorkloadFacts): WorkloadFacts {
  const isOpen = ({ accessModes, attachable, onePod }: Claim): boolean =>
    !onePod.known ||
    (!accessModes.known && !isFalse(attachable)) ||
    (!attachable.known && isExclusiveOrOpen(accessModes));
  return { ...facts, claims: facts.claims.map((claim) => (isOpen(claim) ? forOneNode(claim) : claim)) };
}

function isFalse(fact: Fact<boolean>): boolean {
  return fact.known && !fact.value;
}

function isExclusiveOrOpen(modes: Claim['accessModes']): boolean {
  return !modes.known || isExclusive(modes.value);
}

function isForOneNode({ accessModes, attachable, onePod }: Claim): boolean {
  if (onePod.known && onePod.value) return true;
  return accessModes.known && isExclusive(accessModes.value) && attachable.known && attachable.value;
}

function whyShared({ accessModes, attachable, storage, madeBy }: Claim): string {
  if (attachable.known && !attachable.value) {
    const by = storage || madeBy?.at(-1);
    return `is ${by ? `on ${IN_WORDS.get(by) ?? by}, which is ` : ''}not attached to nodes, so that no pod waits until one lets go of it`;
  }
  const modes = accessModes.known ? accessModes.value.filter((mode) => mode.endsWith('Many')) : [];
  return modes.length > 0 ? `is ${listed(modes)}, so that many nodes may have it at once` : 'is for no node alone';
}

const IN_WORDS: ReadonlyMap<string, string> = new Map([
  ['nfs', 'NFS'],
  ['local', 'a local disk'],
]);

function forOneNode(claim: Claim): Claim {
  if (isForOneNode(claim)) return claim;
  return { ...claim, accessModes: known(['ReadWriteOnce']), attachable: known(true), onePod: known(false) };
}

/** As many nodes as are copied to ask what one more of them would change. */
const MOST_NODES = 64;

/** One node alone that the pods fit, whatever their volumes. */
const oneNode: TraitOf = (facts) => {
  const { nodes, budget } = facts;
  if (!nodes.known) return undefined;
  const search = nodes.value;
  const landing = budget.answer(() => landingNodes({ ...facts, claims: [], placed: [] }, search), new Set<string>());
  const [name = ''] = landing;
  const node = search.get(name);
  if (landing.size !== 1 || node === undefined) return undefined;
  return {
    because: `only ${isAssumedNode(name) ? 'one node' : name} takes its pods${notOnOthers(facts, node)}`,
    without: (changed) => ({ ...changed, ...unnamed(changed), nodes: known(withTwin(search, node)) }),
  };
};

/** Selectors that name the node do not let its twin in. */
function unnamed({ workload }: WorkloadFacts): Pick<WorkloadFacts, 'workload'> {
  const template: PodTemplate = {
    ...workload.template,
    nodeName: undefined,
    nodeSelector: [],
    nodeAffinity: undefined,
  };
  return { workload: { ...workload, template } };
}

function withTwin(search: NodeSearch, node: Node): NodeSearch {
  const index = new NodeIndex();
  if (search.size <= MOST_NODES) for (const name of search.names()) add(index, search.get(name));
  const name = `another node like ${node.name}`;
  add(index, node);
  add(index, { ...node, name, labels: new Map([...node.labels, [HOSTNAME, name]]) });
  return new NodeSearch(index, search.budget);
}

function add(index: NodeIndex, node: Node | undefined): void {
  if (node !== undefined) index.set(node);
}

/** A volume that can be used on few nodes, or that stays where it is made. */
const placedVolumes: TraitOf = (facts) => {
  const placed = facts.claims.filter(isPlaced);
  if (placed.length === 0) return undefined;
  return {
    because:
      [...Map.groupBy(placed, whereItIs)]
        .map(([where, some]) => `${listed(some.map(({ name }) => name))} ${where}`)
        .join('; ') + leaving(facts),
    without: (changed) => ({ ...changed, claims: changed.claims.map(anywhere) }),
  };
};

function isPlaced({ nodeAffinity, zones, onceBound }: Claim): boolean {
  return nodeAffinity !== undefined || zones.size > 0 || onceBound !== undefined;
}

function anywhere(claim: Claim): Claim {
  return isPlaced(claim) ? { ...claim, nodeAffinity: undefined, zones: new Map(), onceBound: undefined } : claim;
}

function leaving(facts: WorkloadFacts): string {
  const { nodes, budget } = facts;
  if (!nodes.known) return '';
  const landing = budget.answer(() => landingNodes(facts, nodes.value), new Set<string>());
  return landing.size === 1
    ? `, which leaves ${listed([...landing].map((name) => (isAssumedNode(name) ? 'one node' : name)))} alone`
    : '';
}

function whereItIs({ nodeAffinity, zones, onceBound }: Claim): string {
  if (onceBound?.type === 'domain') {
    return onceBound.topology === HOSTNAME
      ? 'stays on the node where it is made for the first pod'
      : `stays in the ${onceBound.topology} where it is made for the first pod`;
  }
  if (onceBound?.type === 'place') return 'gets one of the volumes that are there, and stays where that is';
  const terms = (nodeAffinity ?? []).flatMap(({ expressions }) => expressions.flatMap(({ values }) => values));
  return `can be used only where its volume is (${listed([...new Set([...terms, ...[...zones.values()].flat()])])})`;
}

/** Volumes of each pod, which may be on nodes that are few. */
const ownVolumes: TraitOf = ({ ownClaims }) => {
  const placed = ownClaims.flat().filter(isPlaced);
  if (placed.length === 0) return undefined;
  return {
    because: `${listed(placed.map(({ name }) => name))} hold each pod where its own volume is`,
    without: (facts) => ({ ...facts, ownClaims: facts.ownClaims.map((claims) => claims.map(anywhere)) }),
  };
};

/** Required affinity. */
const together: TraitOf = ({ workload: { template } }) => {
  const { podAffinity } = template;
  if (podAffinity.length === 0) return undefined;
  const keys = listed([...new Set(podAffinity.map(({ topologyKey }) => topologyKey))]);
  return {
    because: `required pod affinity by ${keys} keeps a new pod with those that are there`,
    without: (facts) => withTemplate(facts, { podAffinity: [] }),
  };
};

function withTemplate(facts: WorkloadFacts, more: Partial<PodTemplate>): WorkloadFacts {
  const { workload } = facts;
  return { ...facts, workload: { ...workload, template: { ...workload.template, ...more } } };
}

/** A spread takes only nodes that have all its labels. */
const spread: TraitOf = ({ workload: { template } }) => {
  if (template.spread.length === 0) return undefined;
  const keys = listed([...new Set(template.spread.map(({ topologyKey }) => topologyKey))]);
  return {
    because: `its spread constraints take only nodes that have ${keys}`,
    without: (facts) => withTemplate(facts, { spread: [] }),
  };
};

const SURGING: Strategy = {
  type: 'RollingUpdate',
  maxSurge: { type: 'int', value: 1 },
  maxUnavailable: { type: 'int', value: 0 },
};

/** That old pods go first, or do not have to wait for new ones. */
const strategy: TraitOf = ({ workload }) => {
  if (workload.kind !== 'Deployment' || (overlaps(workload) && podsThatStay(workload) > 0)) return undefined;
  return {
    because: strategyInWords(workload),
    without: (facts) => ({ ...facts, workload: { ...facts.workload, strategy: SURGING } }),
  };
};

function strategyInWords(workload: Workload): string {
  if (!isRolling(workload)) return 'strategy Recreate ends every old pod before a new one is created';
  const first = overlaps(workload) ? 'lets the old pods go without waiting for new ones' : 'lets an old pod go first';
  const surge = overlaps(workload) ? '' : ` and ${maxSurge(workload)}`;
  return `${maxUnavailable(workload)}${surge}, which ${first}`;
}

/** That runs do not overlap. */
const concurrency: TraitOf = ({ workload: { concurrencyPolicy } }) => {
  if (concurrencyPolicy === undefined || concurrencyPolicy === 'Allow') return undefined;
  const does =
    concurrencyPolicy === 'Forbid' ? 'lets no run begin beside another' : 'ends a run before the next one goes on';
  return {
    because: `concurrencyPolicy ${concurrencyPolicy} ${does}`,
    without: (facts) => ({ ...facts, workload: { ...facts.workload, concurrencyPolicy: 'Allow' } }),
  };
};

/** That there is one pod. */
const onePod: TraitOf = ({ workload }) => {
  if (workload.replicas !== 1 || workload.onEveryNode) return undefined;
  const isJob = workload.kind === 'Job' || workload.kind === 'CronJob';
  return {
    because: isJob ? 'one pod runs at a time' : 'replicas is 1, so that no two pods are wanted at once',
    without: (facts) => ({ ...facts, workload: { ...facts.workload, replicas: 2 } }),
    isAboutAll: true,
  };
};
