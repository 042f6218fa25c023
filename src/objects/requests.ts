import { type JsonObject, objectAt, objectsAt, stringAt } from './json.ts';
import { quantityAt } from './quantity.ts';

/** Amounts by the name of the resource. */
export type Resources = ReadonlyMap<string, number>;

/** So much of a resource. */
export type Request = readonly [resource: string, amount: number];

/**
 * What a pod asks of its node (`component-helpers/resource/helpers.go:PodRequests`): all containers at once and the
 * sidecars, or an init container beside the sidecars before it. What cannot be read is not asked for.
 */
export function requestsOf(spec: JsonObject | undefined): readonly Request[] {
  const asked = new Map<string, number>();
  for (const container of objectsAt(spec, 'containers')) addRequests(asked, container);
  const first = objectsAt(spec, 'initContainers');
  if (first.length > 0) addInitContainers(asked, first);
  if (spec?.resources !== undefined) {
    const ofPod = new Map<string, number>();
    addRequests(ofPod, spec);
    for (const [name, amount] of ofPod) asked.set(name, amount);
  }
  return asked.size === 0 ? NOTHING : [...asked];
}

const NOTHING: readonly Request[] = [];

function addInitContainers(asked: Map<string, number>, containers: readonly JsonObject[]): void {
  const sidecars = new Map<string, number>();
  const most = new Map<string, number>();
  for (const container of containers) {
    const isSidecar = stringAt(container, 'restartPolicy') === 'Always';
    if (isSidecar) addRequests(asked, container);
    const meanwhile = isSidecar ? sidecars : new Map(sidecars);
    addRequests(meanwhile, container);
    for (const [name, amount] of meanwhile) most.set(name, Math.max(amount, most.get(name) ?? 0));
  }
  for (const [name, amount] of most) asked.set(name, Math.max(amount, asked.get(name) ?? 0));
}

/** A limit without a request is one (`pkg/apis/core/v1/defaults.go:SetDefaults_Pod`). */
function addRequests(all: Map<string, number>, container: JsonObject): void {
  const resources = objectAt(container, 'resources');
  if (resources === undefined) return;
  const requests = objectAt(resources, 'requests');
  const limits = objectAt(resources, 'limits');
  for (const name in requests) addTo(all, name, quantityAt(requests, name));
  for (const name in limits) if (requests?.[name] === undefined) addTo(all, name, quantityAt(limits, name));
}

function addTo(all: Map<string, number>, name: string, amount: number | undefined): void {
  if (amount !== undefined) all.set(name, (all.get(name) ?? 0) + amount);
}

/** What a node has for pods; `undefined` where nobody says. */
export function allocatableOf(node: JsonObject): Resources | undefined {
  const amounts = objectAt(objectAt(node, 'status'), 'allocatable');
  if (amounts === undefined) return undefined;
  const read = new Map<string, number>();
  for (const name in amounts) addTo(read, name, quantityAt(amounts, name));
  return read;
}
