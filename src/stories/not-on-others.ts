import type { WorkloadFacts } from '../facts/gather.ts';
import type { Node } from '../facts/node.ts';
import { isAssumedNode, listed } from './names.ts';
import { fixedReason } from './why-not.ts';

/** As many nodes as are looked at for a line. */
const MOST_NODES = 64;

/** Why the pods of a workload may be on this node alone, after the words that say so. */
export function notOnOthers({ workload, claims, nodes }: WorkloadFacts, only: Node): string {
  if (!nodes.known) return '';
  const { template } = workload;
  if (template.nodeName !== undefined) return ', which is their nodeName';
  const pod = {
    template,
    claims: claims.map((claim, volume) => ({ claim, volume })),
    onlyNode: undefined,
    countsCordons: false,
  };
  const byReason = new Map<string, string[]>();
  let looked = 0;
  for (const name of nodes.value.names()) {
    if (looked++ >= MOST_NODES) break;
    const node = nodes.value.get(name);
    const reason = node === undefined || name === only.name ? undefined : fixedReason(pod, node, 0);
    if (reason !== undefined) byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  }
  if (byReason.size === 0) return nodes.value.size === 1 ? ', the only node that there is' : '';
  return `, and not ${[...byReason].map(([reason, names]) => `${isAssumedNode(names[0] ?? '') ? 'others' : listed(names)} (${reason})`).join(', ')}`;
}
