import type { HostPort } from '../../objects/pod-template.ts';
import { type Cluster, podsFrom } from '../cluster.ts';
import { classOf, nodeOf } from '../state.ts';
import type { Plugin } from './filter.ts';
import { pairsOf } from './pairs.ts';

/** `pkg/scheduler/framework/plugins/nodeports/node_ports.go:Filter`. */
export const nodePorts: Plugin = (cluster) => {
  const first = podsFrom(cluster);
  const conflict = portsConflict(cluster);
  if (conflict === undefined) return undefined;
  const hasPorts = cluster.classes.map(({ template }) => template.hostPorts.length > 0);
  return (podClass, node, state) => {
    if (!hasPorts[podClass]) return true;
    for (let index = first; index < state.length; index++) {
      const other = state[index] ?? 0;
      if (nodeOf(other) === node && conflict(podClass, classOf(other))) return false;
    }
    return true;
  };
};

/** Whether pods of two classes want a port that a node has once; `undefined` where nobody wants any. */
export function portsConflict({ classes, budget }: Cluster): ((one: number, other: number) => boolean) | undefined {
  if (classes.every(({ template }) => template.hostPorts.length === 0)) return undefined;
  const table = pairsOf(classes, false, ({ template: a }, { template: b }) => {
    budget.spend(1 + a.hostPorts.length * b.hostPorts.length);
    return clash(a.hostPorts, b.hostPorts);
  });
  return (one, other) => table[one]?.[other] ?? false;
}

/** `pkg/scheduler/framework/types.go:HostPortInfo.CheckConflict`: the wildcard address clashes with every other. */
function clash(a: readonly HostPort[], b: readonly HostPort[]): boolean {
  return a.some((mine) =>
    b.some((theirs) => mine.port === theirs.port && mine.protocol === theirs.protocol && sameIP(mine, theirs)),
  );
}

function sameIP(a: HostPort, b: HostPort): boolean {
  const isWildcard = (ip: string): boolean => ip === '' || ip === '0.0.0.0';
  return isWildcard(a.hostIP) || isWildcard(b.hostIP) || a.hostIP === b.hostIP;
}
