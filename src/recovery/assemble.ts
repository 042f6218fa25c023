import { isExclusive } from '../objects/access-mode.ts';
import type { ClaimStatus, VolumeStatus } from '../objects/claim-status.ts';
import { type Fact, known, mapFact, unknown } from '../objects/fact.ts';
import type { OwnerReference } from '../objects/metadata.ts';
import { keyOf } from '../objects/object-key.ts';
import { nameOfSource } from '../objects/persistent-volume.ts';
import type { StorageClass } from '../objects/storage-class.ts';
import type { VolumeAttachment } from '../objects/volume-attachment.ts';
import type { ClaimRef, ClaimUse, OwnerLink, Room, UsingPod, UsingWorkload } from './claim-use.ts';
import type { Inventory, InventoryList } from './inventory.ts';

/** Puts together what an inventory has of one claim. */
export function claimUse(inventory: Inventory, { namespace, name }: ClaimRef, now: number): ClaimUse {
  const claim = read(inventory, 'persistentvolumeclaims', namespace, inventory.claims.get(keyOf(namespace, name)));
  const volume = volumeOf(inventory, claim);
  const onDisk = mapFact(volume, (found) => (found === undefined ? [] : inventory.volumesOnDisk(found)));
  const otherClaims = mapFact(onDisk, (volumes) => refsOf(volumes, { namespace, name }));
  const claims = [{ namespace, name }, ...(otherClaims.known ? otherClaims.value : [])];
  const driver = volume.known && volume.value?.source.type === 'csi' ? volume.value.source.driver : undefined;
  return {
    ...{ namespace, name, now, claim, volume, otherClaims },
    storageClass: classOf(inventory, claim),
    attachable: mapFactOf(volume, (found) => attachableOf(inventory, found)),
    manyNodes: allowsManyNodes(claim, volume),
    attachments: attachmentsOf(inventory, onDisk),
    pods: podsOf(inventory, claims),
    workloads: workloadsOf(inventory, claims),
    autoscalers: ofNamespaces(inventory, 'horizontalpodautoscalers', claims, (ns) => inventory.autoscalers.get(ns)),
    budgets: ofNamespaces(inventory, 'poddisruptionbudgets', claims, (ns) => inventory.budgets.get(ns)),
    node: (node) => read(inventory, 'nodes', '', inventory.nodes.get(node)),
    room: (node) => roomOn(inventory, driver, node),
    nodesOfDriver: () =>
      mapFact(inventory.reading('csinodes'), () =>
        driver === undefined
          ? []
          : [...inventory.csiNodes.values()].filter((one) => one.limits.has(driver)).map((one) => one.name),
      ),
  };
}

function read<T>(
  inventory: Inventory,
  list: InventoryList,
  namespace: string,
  found: T | undefined,
): Fact<T | undefined> {
  if (found !== undefined) return known(found);
  return mapFact(inventory.reading(list, namespace), () => undefined);
}

function mapFactOf<T, U>(fact: Fact<T>, next: (value: T) => Fact<U>): Fact<U> {
  return fact.known ? next(fact.value) : fact;
}

function volumeOf(inventory: Inventory, claim: Fact<ClaimStatus | undefined>): Fact<VolumeStatus | undefined> {
  return mapFactOf(claim, (found) => {
    if (found === undefined || found.volumeName === '') return known(undefined);
    return read(inventory, 'persistentvolumes', '', inventory.volumes.get(found.volumeName));
  });
}

function classOf(inventory: Inventory, claim: Fact<ClaimStatus | undefined>): Fact<StorageClass | undefined> {
  return mapFactOf(claim, (found) => {
    const name = found?.storageClassName;
    return name === undefined ? known(undefined) : read(inventory, 'storageclasses', '', inventory.classes.get(name));
  });
}

function refsOf(volumes: readonly VolumeStatus[], self: ClaimRef): readonly ClaimRef[] {
  return volumes
    .flatMap(({ claimRef }) => claimRef ?? [])
    .filter(({ namespace, name }) => namespace !== self.namespace || name !== self.name);
}

/** `pkg/volume/csi/csi_plugin.go:CanAttach`: a driver without a CSIDriver object attaches. */
function attachableOf(inventory: Inventory, volume: VolumeStatus | undefined): Fact<boolean> {
  const source = volume?.source;
  switch (source?.type) {
    case undefined:
      return known(false);
    case 'csi':
      return mapFact(
        read(inventory, 'csidrivers', '', inventory.drivers.get(source.driver)),
        (driver) => driver?.attachRequired ?? true,
      );
    case 'tracked':
      return known(true);
    case 'unattached':
      return known(false);
    case 'flexVolume':
      return unknown(`only the FlexVolume driver ${nameOfSource(source)} knows whether its volumes are attached`);
    default:
      return source satisfies never;
  }
}

/** The volume's modes decide; while it cannot be read, what the claim repeats of them. */
function allowsManyNodes(claim: Fact<ClaimStatus | undefined>, volume: Fact<VolumeStatus | undefined>): boolean {
  if (volume.known && volume.value !== undefined) return !isExclusive(volume.value.accessModes);
  if (!claim.known || claim.value === undefined) return false;
  const { accessModes, statusAccessModes } = claim.value;
  return !isExclusive(statusAccessModes.length > 0 ? statusAccessModes : accessModes);
}

function attachmentsOf(
  inventory: Inventory,
  volumes: Fact<readonly VolumeStatus[]>,
): Fact<readonly VolumeAttachment[]> {
  const reading = inventory.reading('volumeattachments');
  if (!reading.known) return reading;
  return mapFact(volumes, (all) => all.flatMap(({ name }) => inventory.attachments.get(name) ?? []));
}

function podsOf(inventory: Inventory, claims: readonly ClaimRef[]): Fact<readonly UsingPod[]> {
  return allOf(inventory, 'pods', claims, ({ namespace, name }) =>
    (inventory.podsByClaim.get(keyOf(namespace, name)) ?? []).map((pod) => ({
      ...pod,
      owners: linksFrom(inventory, pod.controller, namespace),
    })),
  );
}

/** In an order of their own, whatever list came first: CronJobs begin, so that none starts a run while runs are stopped. */
function workloadsOf(inventory: Inventory, claims: readonly ClaimRef[]): Fact<readonly UsingWorkload[]> {
  for (const list of ['statefulsets', 'replicasets', 'daemonsets', 'jobs', 'cronjobs'] as const) {
    for (const { namespace } of claims) {
      const reading = inventory.reading(list, namespace);
      if (!reading.known) return reading;
    }
  }
  const found = allOf(inventory, 'deployments', claims, ({ namespace, name }) =>
    inventory
      .workloadsWith(namespace, name)
      .map((owner) => ({ owner, owners: linksFrom(inventory, owner.controller, namespace) })),
  );
  return mapFact(found, (all) => all.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1)));
}

function orderOf({ owner: { kind, namespace, name } }: UsingWorkload): string {
  return `${kind} ${keyOf(namespace, name)}`;
}

function allOf<T extends UsingPod | UsingWorkload>(
  inventory: Inventory,
  list: InventoryList,
  claims: readonly ClaimRef[],
  of: (claim: ClaimRef) => readonly T[],
): Fact<readonly T[]> {
  const found = new Map<string, T>();
  for (const claim of claims) {
    const reading = inventory.reading(list, claim.namespace);
    if (!reading.known) return reading;
    for (const one of of(claim)) found.set('owner' in one ? one.owner.uid : one.uid, one);
  }
  return known([...found.values()]);
}

function ofNamespaces<T>(
  inventory: Inventory,
  list: InventoryList,
  claims: readonly ClaimRef[],
  of: (namespace: string) => readonly T[] | undefined,
): Fact<readonly T[]> {
  const namespaces = [...new Set(claims.map(({ namespace }) => namespace))];
  const refused = namespaces.map((namespace) => inventory.reading(list, namespace)).find((one) => !one.known);
  return refused !== undefined && !refused.known
    ? refused
    : known(namespaces.flatMap((namespace) => of(namespace) ?? []));
}

/** Owners of owners: Kubernetes' own kinds make three of them, an operator of operators a few more. */
const MOST_OWNERS = 8;

function linksFrom(
  inventory: Inventory,
  controller: OwnerReference | undefined,
  namespace: string,
): readonly OwnerLink[] {
  const links: OwnerLink[] = [];
  let next = controller;
  while (next !== undefined && links.length < MOST_OWNERS) {
    const { apiVersion, kind, name, uid } = next;
    const found = inventory.owners.get(uid) ?? unknown(`${kind} ${keyOf(namespace, name)} was not read`);
    links.push({ apiVersion, kind, name, uid, namespace, found });
    next = found.known ? found.value?.controller : undefined;
  }
  return links;
}

function roomOn(inventory: Inventory, driver: string | undefined, node: string): Fact<Room | undefined> {
  const readings = [inventory.reading('csinodes'), inventory.reading('volumeattachments')];
  const refused = readings.find((reading) => !reading.known);
  if (refused !== undefined && !refused.known) return refused;
  const limit = driver === undefined ? undefined : inventory.csiNodes.get(node)?.limits.get(driver);
  return known(
    limit === undefined || driver === undefined ? undefined : { limit, attached: inventory.attachedBy(driver, node) },
  );
}
