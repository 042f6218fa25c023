import type { PodFacts } from '../facts/workload-facts.ts';
import { HOSTNAME } from '../objects/node.ts';
import type { NodeSelectorTerm, Requirement } from '../objects/selector.ts';
import { NodeIndex } from '../snapshot/node-index.ts';

/** How many nodes a cluster has that nobody described, for pods of whatever pool. */
export type NodeCount = number | 'several';

/** Two zones of two nodes: the fewest that let pods part within a zone, and between zones. */
const SEVERAL = 4;

/** Alternatives of one pod that are looked at, each of which asks for other nodes. */
const MOST_ALTERNATIVES = 16;

/** Gives nodes on which the pods can run, where the input has none. */
export type NodeSupply = (pods: readonly PodFacts[]) => NodeIndex;

/** The nodes of pods that ask for the same are made once, for nearly all ask for nothing. */
export function nodeSupply(count: NodeCount): NodeSupply {
  const made = new Map<string, NodeIndex>();
  return (pods) => {
    const wanted = pods.map((pod) => ({
      number: count === 'several' ? severalFor(pod) : count,
      topologies: topologyKeys(pod),
      alternatives: alternatives(pod),
    }));
    const key = JSON.stringify(wanted);
    const nodes = made.get(key) ?? assumedNodes(wanted, count === 'several' ? Number.POSITIVE_INFINITY : count);
    made.set(key, nodes);
    return nodes;
  };
}

/** What one pod asks of nodes. */
interface NodeRequest {
  readonly number: number;
  readonly topologies: readonly string[];
  readonly alternatives: readonly (readonly Requirement[])[];
}

/**
 * Nodes with whatever labels the pods' selectors, affinities and volumes ask for, two to each zone. A pod that asks for a
 * node by its name gets that one alone.
 */
function assumedNodes(pods: readonly NodeRequest[], most: number): NodeIndex {
  const topologies = new Set(pods.flatMap((pod) => pod.topologies));
  const nodes = new NodeIndex();
  for (const { number, alternatives } of pods) {
    for (const requirements of alternatives) {
      const names = namesAskedFor(requirements) ?? generated(number, nodes.size);
      for (const [index, name] of names.entries()) {
        if (nodes.size >= most) return nodes;
        const labels = labelsFor(requirements, topologies, index, name);
        nodes.set({ name, labels, taints: [], unschedulable: false });
      }
    }
  }
  return nodes;
}

/** How many nodes to assume: enough that replicas that keep apart find a node each, and one to surge to. */
function severalFor({ workload }: PodFacts): number {
  return Math.min(64, Math.max(SEVERAL, workload.replicas + 2));
}

/** No node has a space in its name, so that nobody takes them for nodes of the cluster. */
function generated(number: number, taken: number): readonly string[] {
  return Array.from({ length: number }, (_, index) => `assumed node ${taken + index + 1}`);
}

function topologyKeys({ workload: { template } }: PodFacts): readonly string[] {
  return [...template.podAffinity, ...template.podAntiAffinity, ...template.spread].map(
    ({ topologyKey }) => topologyKey,
  );
}

/** Every way to satisfy all that decides where the pod lands, each as requirements that have to hold together. */
function alternatives({ workload: { template }, claims }: PodFacts): readonly (readonly Requirement[])[] {
  if (template.nodeName !== undefined) return [[isNamed(template.nodeName)]];
  const zones = claims.flatMap((claim) =>
    [...claim.zones].map(([key, values]) => ({ key, operator: 'In', values }) as const),
  );
  const choices = [template.nodeAffinity, ...claims.map(({ nodeAffinity }) => nodeAffinity)];
  return choices.reduce<readonly (readonly Requirement[])[]>(
    (found, terms) =>
      terms === undefined
        ? found
        : found
            .flatMap((before) => terms.map((term) => [...before, ...requirementsOf(term)]))
            .slice(0, MOST_ALTERNATIVES),
    [[...template.nodeSelector, ...zones]],
  );
}

function requirementsOf({ expressions, fields }: NodeSelectorTerm): readonly Requirement[] {
  return [...expressions, ...fields.map((field) => ({ ...field, key: HOSTNAME }))];
}

function isNamed(name: string): Requirement {
  return { key: HOSTNAME, operator: 'In', values: [name] };
}

/**
 * By which drivers of local disks say on which node a volume is: `topology.topolvm.io/node`, `openebs.io/nodename`,
 * `linbit.com/hostname`. Each value is one node.
 */
function tellsNodes({ key, operator }: Requirement): boolean {
  return operator === 'In' && (key === HOSTNAME || /\/(?:node|nodename|hostname)$/.test(key));
}

/** The names that every requirement on them allows; `undefined` where there is none. */
function namesAskedFor(requirements: readonly Requirement[]): readonly string[] | undefined {
  const [first, ...others] = requirements.filter(tellsNodes);
  return first?.values.filter((name) => others.every(({ values }) => values.includes(name)));
}

function labelsFor(
  requirements: readonly Requirement[],
  topologies: ReadonlySet<string>,
  index: number,
  name: string,
): ReadonlyMap<string, string> {
  const zone = Math.floor(index / 2);
  const labels = new Map([...topologies].map((key) => [key, `domain-${(zone % 2) + 1}`]));
  for (const requirement of requirements) {
    const { key, operator, values } = requirement;
    const value = tellsNodes(requirement) ? name : valueThat(operator, values, zone);
    if (value !== undefined) labels.set(key, value);
    else labels.delete(key);
  }
  return labels.set(HOSTNAME, name);
}

/** A value that satisfies the requirement; `undefined` where a node without the label does. */
function valueThat(operator: Requirement['operator'], values: readonly string[], zone: number): string | undefined {
  const [first = ''] = values;
  switch (operator) {
    case 'In':
      return values[zone % values.length] ?? '';
    case 'Exists':
      return '';
    case 'Gt':
      return String(Number(first) + 1);
    case 'Lt':
      return String(Number(first) - 1);
    case 'NotIn':
    case 'DoesNotExist':
      return undefined;
    default:
      return operator satisfies never;
  }
}
