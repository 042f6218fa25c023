import type { Claim } from '../facts/claim.ts';
import { type PodClass, podsFrom } from '../forecast/cluster.ts';
import type { Question } from '../forecast/question.ts';
import type { Filter, NodeFilter, Plugin } from '../forecast/scheduler/filter.ts';
import { podAffinity, podAntiAffinity } from '../forecast/scheduler/inter-pod-affinity.ts';
import { nodeAffinity } from '../forecast/scheduler/node-affinity.ts';
import { nodePorts } from '../forecast/scheduler/node-ports.ts';
import { podTopologySpread } from '../forecast/scheduler/pod-topology-spread.ts';
import { taintToleration } from '../forecast/scheduler/taint-toleration.ts';
import { placedVolumes, volumeBinding } from '../forecast/scheduler/volume-binding.ts';
import { inlineDisks } from '../forecast/scheduler/volume-restrictions.ts';
import { volumeZone } from '../forecast/scheduler/volume-zone.ts';
import { nodeOf, phaseOf, type State, WAITING } from '../forecast/state.ts';
import type { Node } from '../objects/node.ts';
import { repels, type Taint } from '../objects/toleration.ts';
import { listed } from './names.ts';

/** Says which pod it is, by its code in a state. */
export type NamePod = (code: number) => string;

/** A filter that looks at the other pods or the volumes, and what to say where it lets the pod not pass. */
interface FilterWithReason {
  readonly passes: Filter;
  /** `by` is the pod that is in its way by itself. */
  readonly say: (pod: PodClass, by: string | undefined) => string;
}

/** Why pods may not be on nodes, filter by filter. */
export class WhyNot {
  readonly #question: Question;
  readonly #reasons: readonly FilterWithReason[];

  constructor(question: Question) {
    this.#question = question;
    const { unknownIsHarmless, world } = question;
    const reason = (plugin: Plugin, say: FilterWithReason['say']): FilterWithReason => ({
      passes: plugin(world.cluster) ?? (() => true),
      say,
    });
    this.#reasons = [
      reason(
        placedVolumes,
        (pod) => `the volume of ${claimsOf(pod, ({ onceBound }) => onceBound !== undefined)} is elsewhere`,
      ),
      reason(nodePorts, (pod, by) => `${portsOf(pod)} taken there${by === undefined ? '' : ` by ${by}`}`),
      reason(inlineDisks, (_, by) => `its disk is in use there${by === undefined ? '' : ` by ${by}`}`),
      reason(podAntiAffinity({ unknownIsHarmless }), (_, by) => `anti-affinity keeps it from ${by ?? 'a pod there'}`),
      reason(podTopologySpread, (pod) => `one more there would break ${skewsOf(pod)}`),
      reason(podAffinity({ unknownIsHarmless }), () => 'no pod that its affinity asks for is there'),
    ];
  }

  /** `undefined` where the pod may be on the node. */
  at(podClass: number, node: number, state: State, name: NamePod): string | undefined {
    const { cluster } = this.#question.world;
    const [pod, found] = [cluster.classes[podClass], cluster.nodes[node]];
    if (pod === undefined || found === undefined) return 'there is no such node';
    const fixed = fixedReason(pod, found, node);
    if (fixed !== undefined) return fixed;
    const failing = this.#reasons.find(({ passes }) => !passes(podClass, node, state));
    return failing?.say(pod, this.#blocking(failing.passes, podClass, node, state, name));
  }

  /** A pod that alone would keep it off the node. */
  #blocking(passes: Filter, podClass: number, node: number, state: State, name: NamePod): string | undefined {
    const first = podsFrom(this.#question.world.cluster);
    const header = state.slice(0, first);
    const blocking = state
      .slice(first)
      .find((pod) => phaseOf(pod) !== WAITING && nodeOf(pod) >= 0 && !passes(podClass, node, [...header, pod]));
    return blocking === undefined ? undefined : name(blocking);
  }
}

/** What keeps a pod off a node whatever else is there; `undefined` where nothing does. */
export function fixedReason(pod: PodClass, node: Node, index: number): string | undefined {
  if (pod.onlyNode !== undefined && pod.onlyNode !== index) return 'the pod is for another node';
  const { nodes } = pod.facts;
  const search = nodes.known ? nodes.value : undefined;
  const fails = (filter: NodeFilter): boolean => search !== undefined && filter(pod, search)?.(node) === false;
  if (fails(nodeAffinity)) return 'not what its node selector or affinity asks for';
  if (fails(taintToleration)) return `${taintOf(pod, node)} is not tolerated`;
  if (fails(volumeZone)) return `${claimsOf(pod, ({ zones }) => zones.size > 0)} has its volume in another zone`;
  if (fails(volumeBinding)) return `the volume of ${claimsOf(pod, isHeldToNodes)} cannot be used there`;
  return undefined;
}

function isHeldToNodes({ nodeAffinity }: Claim): boolean {
  return nodeAffinity !== undefined;
}

function claimsOf({ claims }: PodClass, isMeant: (claim: Claim) => boolean): string {
  return listed(claims.filter(({ claim }) => isMeant(claim)).map(({ claim }) => claim.name));
}

function taintOf({ template: { tolerations }, countsCordons }: PodClass, { taints, unschedulable }: Node): string {
  const taint = taints.find((one) => repels(one, tolerations));
  if (countsCordons && unschedulable) return 'its cordon';
  return taint === undefined ? 'its taints' : `taint ${inWords(taint)}`;
}

function inWords({ key, value, effect }: Taint): string {
  return `${key}${value === '' ? '' : `=${value}`}:${effect}`;
}

function portsOf({ template: { hostPorts } }: PodClass): string {
  const ports = [...new Set(hostPorts.map(({ port }) => String(port)))];
  return ports.length === 1 ? `host port ${listed(ports)} is` : `of host ports ${listed(ports)} one is`;
}

function skewsOf({ template: { spread } }: PodClass): string {
  return listed(spread.map(({ maxSkew, topologyKey }) => `maxSkew ${maxSkew} over ${topologyKey}`));
}
