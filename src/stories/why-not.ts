import type { NodeSearch } from '../facts/node-search.ts';
import { type HeldClaim, type PodClass, podsFrom } from '../forecast/cluster.ts';
import type { Question } from '../forecast/question.ts';
import type { Asker, NodeFilter, Plugin } from '../forecast/scheduler/filter.ts';
import { podAffinity, podAntiAffinity, type UnknownNamespaces } from '../forecast/scheduler/inter-pod-affinity.ts';
import { nodeAffinity } from '../forecast/scheduler/node-affinity.ts';
import { nodePorts } from '../forecast/scheduler/node-ports.ts';
import { nodeResourcesFit } from '../forecast/scheduler/node-resources-fit.ts';
import { podTopologySpread } from '../forecast/scheduler/pod-topology-spread.ts';
import { taintToleration } from '../forecast/scheduler/taint-toleration.ts';
import { placedVolumes, volumeBinding } from '../forecast/scheduler/volume-binding.ts';
import { inlineDisks } from '../forecast/scheduler/volume-restrictions.ts';
import { volumeZone } from '../forecast/scheduler/volume-zone.ts';
import { nodeOf, phaseOf, type State, WAITING } from '../forecast/state.ts';
import type { Node } from '../objects/node.ts';
import type { PodTemplate } from '../objects/pod-template.ts';
import { repels } from '../objects/toleration.ts';
import { claimNames, listed } from './names.ts';

/** As many nodes as are looked at for a line, or copied to ask what one more of them would change. */
export const MOST_NODES = 64;

/** Why a pod may not be on a node, by the first filter that says so; `undefined` where it may. */
export type WhyNot = (
  podClass: number,
  node: number,
  state: State,
  nameOf: (code: number) => string,
) => string | undefined;

export function whyNot({ unknownIsHarmless, world: { cluster } }: Question): WhyNot {
  const reasons = REASONS({ unknownIsHarmless }).flatMap(({ plugin, say }) => {
    const passes = plugin(cluster);
    return passes === undefined ? [] : [{ passes, say }];
  });
  return (podClass, node, state, nameOf) => {
    const [pod, found] = [cluster.classes[podClass], cluster.nodes[node]];
    if (pod === undefined || found === undefined) return 'there is no such node';
    const fixed = fixedReason(pod, found);
    if (fixed !== undefined) return fixed;
    const failing = reasons.find(({ passes }) => !passes(podClass, node, state));
    if (failing === undefined) return undefined;
    const first = podsFrom(cluster);
    // The pod that alone would keep it off the node.
    const by = state.slice(first).find((other) => {
      const isThere = phaseOf(other) !== WAITING && nodeOf(other) >= 0;
      return isThere && !failing.passes(podClass, node, [...state.slice(0, first), other]);
    });
    return failing.say({ pod, node: found, by: by === undefined ? undefined : nameOf(by) });
  };
}

/** A filter that looks at the other pods or the volumes, and what to say where it lets the pod not pass. */
interface Reason {
  readonly plugin: Plugin;
  readonly say: (refused: Refused) => string;
}

interface Refused {
  readonly pod: PodClass;
  readonly node: Node;
  /** The pod that is in its way by itself. */
  readonly by: string | undefined;
}

const REASONS = (unknown: UnknownNamespaces): readonly Reason[] => [
  { plugin: placedVolumes, say: ({ pod }) => `${volumesOf(pod.claims.filter(isStillToCome), 'is', 'are')} elsewhere` },
  { plugin: nodePorts, say: ({ pod, by = 'a pod' }) => `${portsOf(pod)} taken there by ${by}` },
  { plugin: inlineDisks, say: ({ by = 'a pod' }) => `its disk is in use there by ${by}` },
  { plugin: podAntiAffinity(unknown), say: ({ by = 'a pod there' }) => `anti-affinity keeps it from ${by}` },
  {
    plugin: podTopologySpread,
    say: ({ pod: { template }, node, by }) =>
      missingLabel(template, node) ??
      `one more ${by === undefined ? 'there' : `beside ${by}`} would break ${skewsOf(template)}`,
  },
  {
    plugin: podAffinity(unknown),
    say: ({ pod: { template }, node }) => missingLabel(template, node) ?? 'no pod that its affinity asks for is there',
  },
];

/** As many nodes as are looked at. */
export function firstNodes(search: NodeSearch): readonly Node[] {
  const found: Node[] = [];
  for (const name of search.names()) {
    if (found.length >= MOST_NODES) break;
    const node = search.get(name);
    if (node !== undefined) found.push(node);
  }
  return found;
}

/** What keeps a pod off a node whatever else is there; `undefined` where nothing does. */
export function fixedReason(pod: Pick<PodClass, 'facts'> & Asker, node: Node): string | undefined {
  const { nodes } = pod.facts;
  if (!nodes.known) return undefined;
  const fails = (filter: NodeFilter, asker: Asker = pod): boolean => filter(asker, nodes.value)?.(node) === false;
  if (fails(nodeAffinity)) return 'not what its node selector or affinity asks for';
  if (fails(taintToleration)) return `${taintOf(pod, node)} is not tolerated`;
  if (fails(nodeResourcesFit)) return `too little ${lackOf(pod, node)}`;
  const away = pod.claims.filter((one) => fails(volumeZone, { ...pod, claims: [one] }));
  if (away.length > 0) return `${volumesOf(away, 'is', 'are')} in another zone`;
  return unusableVolumes(pod, node);
}

export function unusableVolumes({ facts: { nodes }, claims }: Pick<PodClass, 'facts' | 'claims'>, node: Node) {
  if (!nodes.known) return undefined;
  const unusable = claims.filter((one) => volumeBinding({ claims: [one] }, nodes.value)?.(node) === false);
  return unusable.length > 0 ? `${volumesOf(unusable, 'cannot', 'cannot')} be used there` : undefined;
}

/** By what pods are held together or spread. */
export function missingLabel({ podAffinity: terms, spread }: PodTemplate, { labels }: Node): string | undefined {
  const missing = [...terms, ...spread].find(({ topologyKey }) => !labels.has(topologyKey));
  return missing && `no label ${missing.topologyKey}`;
}

function volumesOf(claims: readonly HeldClaim[], is: string, are: string): string {
  const names = listed(claimNames(claims));
  return claims.length > 1 ? `the volumes of ${names} ${are}` : `the volume of ${names} ${is}`;
}

function isStillToCome({ claim: { onceBound } }: HeldClaim): boolean {
  return onceBound !== undefined;
}

function taintOf({ template: { tolerations }, countsCordons }: Asker, { taints, unschedulable }: Node): string {
  if (countsCordons && unschedulable) return 'its cordon';
  const taint = taints.find((one) => repels(one, tolerations));
  if (taint === undefined) return 'its taints';
  return `taint ${taint.key}${taint.value === '' ? '' : `=${taint.value}`}:${taint.effect}`;
}

function lackOf({ template: { requests } }: Asker, { allocatable }: Node): string {
  return listed(requests.filter(([name, amount]) => amount > (allocatable?.get(name) ?? 0)).map(([name]) => name));
}

function portsOf({ template: { hostPorts } }: PodClass): string {
  const ports = [...new Set(hostPorts.map(({ port }) => String(port)))];
  return ports.length === 1 ? `host port ${listed(ports)} is` : `of host ports ${listed(ports)} one is`;
}

function skewsOf({ spread }: PodTemplate): string {
  return listed(
    spread.map(({ maxSkew, minDomains, topologyKey }) => {
      const least = minDomains > 1 ? ` with minDomains ${minDomains}` : '';
      return `maxSkew ${maxSkew} over ${topologyKey}${least}`;
    }),
  );
}
