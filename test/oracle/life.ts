import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Node, V1Pod } from '@kubernetes/client-node';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import { until } from '../control-plane/until.ts';
import { BYSTANDER, ZONE } from './draft.ts';
import { applyWeather, NodeMarks } from './node-marks.ts';
import { ALONE, type Scenario } from './scenario.ts';
import { fingerprint, isGoing, isReady, type Sight, sightOf, type WorkloadSeen } from './sight.ts';
import { type Situation, situationOf } from './situation.ts';
import { openAllNodes, PATIENT, type Stage, setUp } from './stage.ts';
import { isFinished, podWithoutNode, reasonsToWait } from './verdict.ts';

/** What the controllers did. */
export interface Observation {
  readonly multiAttach: boolean;
  readonly stuck: boolean;
  readonly reasons: readonly string[];
  /** Where the pods are in the end; `-` for one that has no node. */
  readonly places: readonly string[];
}

/** What was there when an act began, and what came of it. */
export interface Act {
  readonly situation: Situation;
  readonly observed: Observation;
}

/** A scenario of which nothing can be said, and why. */
export class Undecided extends Error {
  readonly reason: string;

  constructor(reason: string, detail: string) {
    super(`${reason}: ${detail}`);
    this.reason = reason;
  }
}

const LOOK_EVERY_MS = 200;

/**
 * How long nothing may change before a scenario whose pods all have a reason to wait is stuck. Everything that could
 * still move it is an event on one of the objects looked at, and whoever reacts does so within a second (the
 * scheduler's backoff is set to one, the reconciler's period is 0.1); the rest is for a machine with other work.
 */
const QUIET_MS = 6_000;

/** Without pods that have to become Ready there is nothing to wait for but that nothing happens. */
const PAUSED_MS = 3_000;

/** A scenario takes about ten seconds. */
const AT_MOST_MS = 120_000;

/** An event may come a little after what it tells of. */
const EVENT_MS = 500;

/** One act, or two where an update is followed by the rollout after it. */
export async function live(stage: Stage, scenario: Scenario): Promise<readonly Act[]> {
  await setUp(stage, scenario);
  const { running, next } = scenario;
  const before = running === undefined ? undefined : await bringUp(stage, scenario, running);
  if (before?.stuck && running !== undefined) {
    const cordoned = scenario.nodes.filter(({ spec }) => spec?.unschedulable);
    if (cordoned.length > 0) throw new Undecided('a cordon may keep its first pods waiting', before.reasons.join('; '));
    const created = { ...scenario, ...ALONE, wanted: running };
    return [{ situation: situationOf(stage.world, created, []), observed: before }];
  }
  const first = await act(stage, scenario);
  if (next === undefined || first.observed.stuck) return [first];
  const second = await act(stage, { ...scenario, action: 'update', running: scenario.wanted, wanted: next });
  // What starts nothing is about the next rollout.
  return scenario.startsNothing ? [{ ...first, observed: second.observed }] : [first, second];
}

/** Brings the workload up where its pods can share a node, or apart from a neighbour; opens the others if some pod needs one. */
async function bringUp(stage: Stage, scenario: Scenario, running: KubernetesObject): Promise<Observation> {
  const { api } = stage;
  const { metadata } = await api.create(running);
  const generation = generationOf(metadata);
  const alone = await settle(stage, scenario, generation, { quietMs: 1_500 });
  await openAllNodes(stage, scenario);
  const settled = alone.stuck ? await settle(stage, scenario, generation, {}) : alone;
  if (settled.stuck) return { ...settled, multiAttach: multiAttachEvents(stage, scenario) > 0 };
  if (scenario.bystander !== undefined) await join(stage, scenario, scenario.bystander);
  for (const prelude of scenario.preludes) await api.replace(prelude);
  for (const change of scenario.weather) await applyWeather(stage, change);
  return { ...settled, multiAttach: multiAttachEvents(stage, scenario) > 0 };
}

async function join({ api, world }: Stage, { namespace }: Scenario, bystander: KubernetesObject): Promise<void> {
  await api.create(bystander);
  await until(
    `the bystander in ${namespace} to run`,
    async () => {
      const its = world.pods.in(namespace).filter(({ metadata }) => metadata?.labels?.app === BYSTANDER);
      return its.length > 0 && its.every(isReady);
    },
    PATIENT,
  );
}

async function act(stage: Stage, scenario: Scenario): Promise<Act> {
  const { world } = stage;
  await openAllNodes(stage, scenario);
  const eventsBefore = multiAttachEvents(stage, scenario);
  const { pods: old, others } = sightOf(world, scenario);
  const marks = new NodeMarks(stage);
  await marks.clear(scenario.nodes.map(({ metadata }) => metadata?.name ?? ''));
  await marks.markOld([...old, ...others].flatMap(({ spec }) => spec?.nodeName ?? []));
  if (old.length === 0 && firstDecidesOnZone(scenario)) await marks.markOld(nodesAloneInTheirZone(scenario));
  const places = old.flatMap(({ spec }) => spec?.nodeName ?? []);
  const cluster = situationOf(world, scenario, places);
  const { object, generation } = await write(stage, scenario);
  const outcome = await settle(stage, scenario, generation, { marks, old });
  await sleep(EVENT_MS);
  const multiAttach = multiAttachEvents(stage, scenario) > eventsBefore;
  const wanted = scenario.action === 'autoscale' ? cluster.wanted : object;
  return { situation: { ...cluster, wanted }, observed: { ...outcome, multiAttach } };
}

/**
 * The first pod of all decides on the zone for those that want to be with it, and it is worst where there is room to
 * part.
 */
function nodesAloneInTheirZone({ nodes }: Scenario): readonly string[] {
  const zoneOf = ({ metadata }: V1Node): string | undefined => metadata?.labels?.[ZONE];
  const alone = nodes.filter((node) => nodes.every((other) => other === node || zoneOf(other) !== zoneOf(node)));
  return alone.flatMap(({ metadata }) => metadata?.name ?? []);
}

/** Pods that nothing holds together would all prefer the nodes that share their zone, and so maybe one of those. */
function firstDecidesOnZone({ plan }: Scenario): boolean {
  return plan.traits.some(
    ({ trait, variant }) => trait === 'unbound' || (trait === 'self-affinity' && /^(zone|two-terms)$/.test(variant)),
  );
}

/** A scale goes through its subresource, which does not know the rest of the workload. */
async function write({ api }: Stage, { action, wanted, namespace }: Scenario) {
  const { apiVersion = '', kind = '', metadata } = wanted;
  const key = { apiVersion, kind, namespace, name: metadata?.name ?? '' };
  if (action === 'scale' || action === 'autoscale') {
    const { spec } = wanted as WorkloadSeen;
    await api.patch(key, 'merge', { spec: { replicas: spec.replicas } }, { subresource: 'scale' });
    const object = await api.get<KubernetesObject>(key);
    return { object, generation: generationOf(object.metadata) };
  }
  if (kind === 'CronJob') await endOfMinute();
  const object = action === 'create' ? await api.create(wanted) : await api.replace(wanted);
  return { object, generation: generationOf(object.metadata) };
}

/**
 * Of all runs in one minute the controller makes one, because it names them by the minute
 * (`pkg/controller/cronjob/utils.go:getTimeHashInMinutes`), so the first is made shortly before the next minute.
 */
async function endOfMinute(): Promise<void> {
  const second = (Date.now() / 1000) % 60;
  if (second >= 40 && second < 48) return;
  await sleep(1000 * ((100 - second) % 60));
}

interface Settling {
  readonly quietMs?: number;
  /** Marks nodes as new pods come to them. */
  readonly marks?: NodeMarks;
  readonly old?: readonly V1Pod[];
}

/** Waits until everything has come up, or nothing ever will. */
async function settle(stage: Stage, scenario: Scenario, generation: number, settling: Settling): Promise<Observation> {
  const { quietMs = QUIET_MS, marks, old = [] } = settling;
  const oldOnes = new Set(old.map(({ metadata }) => metadata?.uid));
  const since = Date.now();
  let quietSince = since;
  let last = '';
  let rejectedBefore = sightOf(stage.world, scenario).rejected.size;
  for (;;) {
    const sight = sightOf(stage.world, scenario);
    await marks?.markNew(
      sight.pods.flatMap(({ metadata, spec }) => (oldOnes.has(metadata?.uid) ? [] : (spec?.nodeName ?? []))),
    );
    const now = fingerprint(sight);
    if (now !== last) quietSince = Date.now();
    last = now;
    const quiet = Date.now() - quietSince;
    if (isFinished(sight, generation) && quiet >= patience(sight)) {
      return { multiAttach: false, stuck: false, reasons: [], places: placesOf(sight) };
    }
    // Refusals count from when the last pod that was going has gone: it may be what they were about.
    if (sight.pods.some(isGoing)) rejectedBefore = sight.rejected.size;
    const reasons = reasonsToWait(sight, stage.world, rejectedBefore);
    const alone = podWithoutNode(sight);
    if (alone !== undefined && quiet >= quietMs) throw new Undecided('no node fits a pod by itself', alone);
    if (reasons !== undefined && (quiet >= quietMs || sight.rejected.size > rejectedBefore)) {
      return { multiAttach: false, stuck: true, reasons, places: placesOf(sight) };
    }
    if (Date.now() - since > AT_MOST_MS) throw new Undecided('it did not settle', described(sight));
    await sleep(LOOK_EVERY_MS);
  }
}

function placesOf({ pods }: Sight): readonly string[] {
  return pods.map(({ spec }) => spec?.nodeName ?? '-');
}

function patience({ workload, pods }: Sight): number {
  const { paused, updateStrategy } = workload?.spec ?? {};
  return paused === true || updateStrategy?.type === 'OnDelete' || pods.length === 0 ? PAUSED_MS : 0;
}

function multiAttachEvents({ world }: Stage, { namespace }: Scenario): number {
  return world.events.in(namespace).filter(({ message }) => message?.startsWith('Multi-Attach error')).length;
}

function generationOf(metadata: KubernetesObject['metadata']): number {
  return (metadata as { generation?: number } | undefined)?.generation ?? 0;
}

function described({ pods, workload }: Sight): string {
  const shown = pods.map(
    (pod) =>
      `${pod.metadata?.name} ${pod.spec?.nodeName ?? '-'} ${pod.status?.phase} ${isReady(pod) ? 'ready' : 'not ready'}`,
  );
  return `${shown.join(', ')}; ${JSON.stringify(workload?.status)}`;
}
