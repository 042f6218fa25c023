import { NodeSearch } from '../facts/node-search.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { podOf } from '../forecast/pod-labels.ts';
import { known } from '../objects/fact.ts';
import { HOSTNAME, type Node } from '../objects/node.ts';
import type { PodTemplate } from '../objects/pod-template.ts';
import { NodeIndex } from '../snapshot/node-index.ts';
import { isAssumedNode, listed } from './names.ts';
import type { TraitOf } from './trait.ts';
import { fixedReason } from './why-not.ts';

/** As many nodes as are looked at for a line, or copied to ask what one more of them would change. */
const MOST_NODES = 64;

function calledNode(name: string): string {
  return isAssumedNode(name) ? 'one node' : name;
}

function onlyNode(name: string): string {
  return isAssumedNode(name) ? 'there is only one node' : `${name} is the only node`;
}

/** One node alone that the pods fit, whatever their volumes. */
export const oneNode: TraitOf = (facts) => {
  const { nodes, budget } = facts;
  if (!nodes.known) return undefined;
  const search = nodes.value;
  const landing = budget.answer(() => search.landing({ ...facts, claims: [] }), new Set<string>());
  const [name = ''] = landing;
  const node = search.get(name);
  if (landing.size !== 1 || node === undefined) return undefined;
  return {
    because: search.size === 1 ? onlyNode(name) : `only ${calledNode(name)} takes its pods${notOnOthers(facts, node)}`,
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

/** Why the pods of a workload may be on this node alone, after the words that say so. */
function notOnOthers(facts: WorkloadFacts, only: Node): string {
  const { workload, claims, nodes } = facts;
  if (!nodes.known) return '';
  const { template } = workload;
  if (template.nodeName !== undefined) return ', which is their nodeName';
  const pod = {
    ...podOf(facts),
    ...{ index: 0, facts, isOwn: true, areThere: false, onlyNode: undefined, countsCordons: false },
    claims: claims.map((claim, volume) => ({ claim, volume })),
    volumes: [...claims.keys()],
    mounted: [...claims.keys()],
  };
  const byReason = new Map<string, string[]>();
  let looked = 0;
  for (const name of nodes.value.names()) {
    if (looked++ >= MOST_NODES) break;
    const node = nodes.value.get(name);
    const reason = node === undefined || name === only.name ? undefined : fixedReason(pod, node, 0);
    if (reason !== undefined) byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
  if (byReason.size === 0) return '';
  return `, and not ${[...byReason].map(([reason, names]) => `${isAssumedNode(names[0] ?? '') ? 'others' : listed(names)} (${reason})`).join(', ')}`;
}
