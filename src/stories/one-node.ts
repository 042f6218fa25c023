import { NodeSearch } from '../facts/node-search.ts';
import type { WorkloadFacts } from '../facts/workload-facts.ts';
import type { Asker } from '../forecast/scheduler/filter.ts';
import { nodeResourcesFit } from '../forecast/scheduler/node-resources-fit.ts';
import { known } from '../objects/fact.ts';
import { HOSTNAME, type Node } from '../objects/node.ts';
import { NodeIndex } from '../snapshot/node-index.ts';
import { isAssumedNode, listed } from './names.ts';
import { type TraitOf, withTemplate } from './trait.ts';
import { firstNodes, fixedReason, MOST_NODES, missingLabel } from './why-not.ts';

/** The nodes that take its pods but for other pods, or so many that might; `undefined` where nodes are not known. */
export function nodesThatTake(facts: WorkloadFacts): readonly string[] | undefined {
  const { workload, claims, nodes } = facts;
  if (!nodes.known) return undefined;
  const { nodeName } = workload.template;
  if (nodeName !== undefined) return [nodeName];
  const search = nodes.value;
  const found = search.find([search.queries.of({ workload, claims }, false)], MOST_NODES);
  const hasRoom = found.length < MOST_NODES ? nodeResourcesFit(askerFor(facts), search) : undefined;
  return (hasRoom === undefined ? found : found.filter(hasRoom)).map(({ name }) => name);
}

function askerFor({ workload: { template } }: WorkloadFacts): Asker {
  return { template, claims: [], countsCordons: false, areThere: false };
}

/** One node alone that the pods fit, whatever their volumes. */
export const oneNode: TraitOf = (facts) => {
  const [name = '', ...others] = nodesThatTake({ ...facts, claims: [] }) ?? [];
  const search = facts.nodes.known ? facts.nodes.value : undefined;
  const node = search?.get(name);
  if (others.length > 0 || search === undefined || node === undefined) return undefined;
  const only = isAssumedNode(name) ? 'there is only one node' : `${name} is the only node`;
  const called = isAssumedNode(name) ? 'one node' : name;
  return {
    because: search.size === 1 ? only : `only ${called} takes its pods${notOnOthers(facts, search, node)}`,
    // Selectors that name the node would not let another one in.
    without: (changed) => ({
      ...withTemplate(changed, { nodeName: undefined, nodeSelector: [], nodeAffinity: undefined }),
      nodes: known(withOneMoreLike(search, node)),
    }),
  };
};

function withOneMoreLike(search: NodeSearch, node: Node): NodeSearch {
  const index = new NodeIndex();
  for (const one of search.size <= MOST_NODES ? firstNodes(search) : [node]) index.set(one);
  const name = `another node like ${node.name}`;
  index.set({ ...node, name, labels: new Map([...node.labels, [HOSTNAME, name]]) });
  return new NodeSearch(index, search.budget);
}

/** Why the pods of a workload may be on this node alone, after the words that say so. */
function notOnOthers(facts: WorkloadFacts, search: NodeSearch, only: Node): string {
  const { template } = facts.workload;
  if (template.nodeName !== undefined) return ', which is their nodeName';
  const pod = { facts, ...askerFor(facts) };
  const others = firstNodes(search).filter(({ name }) => name !== only.name);
  const byReason = Map.groupBy(others, (node) => fixedReason(pod, node) ?? missingLabel(template, node));
  const reasons = [...byReason].flatMap(([reason, some]) => {
    if (reason === undefined) return [];
    const names = some.map(({ name }) => name);
    return `${names.some(isAssumedNode) ? 'others' : listed(names)} (${reason})`;
  });
  return reasons.length === 0 ? '' : `, and not ${reasons.join(', ')}`;
}
