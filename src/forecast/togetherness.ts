import { type LabelledPod, selects, withMatchLabelKeys } from '../objects/pod-affinity.ts';
import type { HostPort, PodTemplate, SpreadConstraint } from '../objects/pod-template.ts';
import type { RestrictedDisk } from '../objects/restricted-disk.ts';
import { matchesSelector } from '../objects/selector.ts';
import { NODE } from '../snapshot/domains.ts';

/** A pod that is about to be scheduled, or one that runs already. */
export interface Pod extends LabelledPod {
  readonly template: PodTemplate;
}

/**
 * The topologies in which the incoming pod has to land in the domain of the running one. Required affinity holds only if
 * the running pod matches every term (`scheduler/framework/plugins/interpodaffinity/filtering.go:satisfyPodAffinity`).
 * A pod with a nodeName never meets the scheduler. Labels of a namespace that cannot be read do no harm, or the most.
 */
export function topologiesToShare(incoming: Pod, running: Pod, unknownIsHarmless: boolean): readonly string[] {
  const { podAffinity, nodeName } = incoming.template;
  if (nodeName !== undefined) return [];
  const held = podAffinity.every((term) => selects(term, incoming, running) ?? unknownIsHarmless);
  return held ? podAffinity.map(({ topologyKey }) => topologyKey) : [];
}

/**
 * The topologies in which the incoming pod has to keep out of the running one's domain: the node, for a host port that
 * both want, which the kubelet sees to, and for inline disks; and what anti-affinity of either says (`nodeports`,
 * `volumerestrictions`, `filtering.go:satisfyExistingPodsAntiAffinity`).
 */
export function topologiesToAvoid(incoming: Pod, running: Pod, unknownIsHarmless: boolean): readonly string[] {
  const { template } = incoming;
  const node = portsClash(template.hostPorts, running.template.hostPorts) ? [NODE] : [];
  if (template.nodeName !== undefined) return node;
  const disk = disksClash(template.restrictedDisks, running.template.restrictedDisks) ? [NODE] : [];
  return [...node, ...disk, ...repelledIn(incoming, running, unknownIsHarmless)];
}

/** A spread, and how many running pods a domain has to have before it takes the incoming one no more. */
export interface Crowding {
  readonly constraint: SpreadConstraint;
  readonly most: number;
}

/**
 * The spreads that count the running pods when the incoming one is placed, and would let no domain have them all and it
 * (`podtopologyspread/filtering.go:Filter`). It comes on top where it is counted itself. An empty selector counts
 * nobody (`common.go:countPodsMatchSelector`).
 */
export function spreadsToKeep(incoming: Pod, running: Pod, runningPods: number): readonly Crowding[] {
  if (incoming.template.nodeName !== undefined || incoming.namespace !== running.namespace) return [];
  return incoming.template.spread.flatMap((constraint) => {
    const { maxSkew, selector, matchLabelKeys } = constraint;
    if (selector === undefined) return [];
    const merged = withMatchLabelKeys(selector, matchLabelKeys, incoming);
    if (merged.length === 0 || !matchesSelector(merged, running.labels)) return [];
    const most = matchesSelector(merged, incoming.labels) ? maxSkew : maxSkew + 1;
    return most > runningPods ? [] : [{ constraint, most }];
  });
}

/** Whether some term needs the labels of the namespace to tell whom it means. */
export function needsNamespaceLabels({ podAffinity, podAntiAffinity }: PodTemplate, namespace: string): boolean {
  return [...podAffinity, ...podAntiAffinity].some(
    ({ namespaces, namespaceSelector = [] }) => namespaceSelector.length > 0 && !namespaces.includes(namespace),
  );
}

function repelledIn(incoming: Pod, running: Pod, unknownIsHarmless: boolean): readonly string[] {
  const repelledBy = (owner: Pod, other: Pod): readonly string[] =>
    owner.template.podAntiAffinity
      .filter((term) => selects(term, owner, other) ?? !unknownIsHarmless)
      .map(({ topologyKey }) => topologyKey);
  return [...repelledBy(incoming, running), ...repelledBy(running, incoming)];
}

/** `scheduler/framework/types.go:HostPortInfo.CheckConflict`: the wildcard address clashes with every other. */
function portsClash(a: readonly HostPort[], b: readonly HostPort[]): boolean {
  if (a.length === 0 || b.length === 0) return false;
  const theirs = addressesByPort(b);
  return a.some((mine) => {
    const taken = theirs.get(portOf(mine));
    if (taken === undefined) return false;
    return taken.has(WILDCARD) || addressOf(mine) === WILDCARD || taken.has(addressOf(mine));
  });
}

function addressesByPort(ports: readonly HostPort[]): ReadonlyMap<string, ReadonlySet<string>> {
  const addresses = new Map<string, Set<string>>();
  for (const port of ports) {
    const taken = addresses.get(portOf(port)) ?? new Set();
    addresses.set(portOf(port), taken.add(addressOf(port)));
  }
  return addresses;
}

const WILDCARD = '0.0.0.0';

function portOf({ port, protocol }: HostPort): string {
  return `${port}/${protocol}`;
}

function addressOf({ hostIP }: HostPort): string {
  return hostIP === '' ? WILDCARD : hostIP;
}

function disksClash(a: readonly RestrictedDisk[], b: readonly RestrictedDisk[]): boolean {
  if (a.length === 0 || b.length === 0) return false;
  const all = new Set(b.flatMap(({ names }) => names));
  const written = new Set(b.flatMap(({ names, readOnly }) => (readOnly ? [] : names)));
  return a.some(({ names, readOnly }) => names.some((name) => (readOnly ? written : all).has(name)));
}
