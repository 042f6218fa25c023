import { ApiError, problemOf } from '../cluster/api-error.ts';
import type { ApiConnection } from '../cluster/connection.ts';
import { listPages } from '../cluster/list-pages.ts';
import { known, unknown } from '../objects/fact.ts';
import { type JsonObject, objectsAt, stringAt, UnreadableObjectError } from '../objects/json.ts';
import { keyOf } from '../objects/object-key.ts';
import { claimUse } from '../recovery/assemble.ts';
import { type ClaimRef, type ClaimUse, linksOf, type OwnerLink } from '../recovery/claim-use.ts';
import { INVENTORY_LISTS, Inventory, type InventoryList, isInventoryList } from '../recovery/inventory.ts';
import { isOfKubernetes, ownerFrom } from '../recovery/owner.ts';

/** What is needed to read of a cluster how its claims are used. */
export interface Sight {
  readonly connection: ApiConnection;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

const LISTS = Object.keys(INVENTORY_LISTS).filter(isInventoryList);

/** Everything about one claim, read live. Rejects only where the API server cannot be reached. */
export async function readClaimUse(sight: Sight, ref: ClaimRef): Promise<ClaimUse> {
  const inventory = new Inventory();
  await readLists(sight, inventory, LISTS, ref.namespace);
  const first = claimUse(inventory, ref, sight.now());
  const others = first.otherClaims.known ? first.otherClaims.value : [];
  const namespaces = new Set(others.map(({ namespace }) => namespace).filter((one) => one !== ref.namespace));
  const namespaced = LISTS.filter((list) => INVENTORY_LISTS[list].namespaced);
  for (const namespace of namespaces) await readLists(sight, inventory, namespaced, namespace);
  return withOwners(sight, inventory, ref);
}

/** The claims of the whole cluster, or of one namespace. */
export async function readInventory(sight: Sight, namespace = ''): Promise<Inventory> {
  const inventory = new Inventory();
  await readLists(sight, inventory, LISTS, namespace);
  return inventory;
}

/** Chains are read upwards, so each round may bring the next owner to ask for. */
const MOST_ROUNDS = 8;

/** The use of a claim with all owners, also of kinds that are not listed. */
export async function withOwners(sight: Sight, inventory: Inventory, ref: ClaimRef): Promise<ClaimUse> {
  const asked = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const missing = linksOf(claimUse(inventory, ref, sight.now())).filter(
      ({ found, uid }) => !found.known && !asked.has(uid),
    );
    if (missing.length === 0) break;
    for (const link of missing) {
      asked.add(link.uid);
      inventory.tell(link, await readOwner(sight, link));
    }
  }
  return claimUse(inventory, ref, sight.now());
}

async function readOwner({ connection, signal }: Sight, link: OwnerLink) {
  const { apiVersion, kind, namespace, name, uid } = link;
  const root = `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`;
  try {
    const resources = objectsAt(await connection.request(root, {}, { signal }), 'resources');
    const resource = resources.find((one) => one.kind === kind && !String(one.name).includes('/'));
    if (resource === undefined) return unknown(`the API server serves no ${kind} of ${apiVersion}`);
    const scope = resource.namespaced === true ? `/namespaces/${encodeURIComponent(namespace)}` : '';
    const path = `${root}${scope}/${stringAt(resource, 'name')}/${encodeURIComponent(name)}`;
    const owner = ownerFrom(await connection.request(path, {}, { signal }));
    return known(owner.uid === uid ? owner : undefined);
  } catch (error) {
    if (signal.aborted) throw error;
    // A group that is not served any more answers 404 as well, and then nobody knows what was there.
    if (error instanceof ApiError && error.status === 404 && isOfKubernetes(apiVersion)) return known(undefined);
    return unknown(`${kind} ${keyOf(namespace, name)} could not be read: ${problemOf(error).code}`);
  }
}

async function readLists(
  sight: Sight,
  inventory: Inventory,
  lists: readonly InventoryList[],
  namespace: string,
): Promise<void> {
  await Promise.all(lists.map((list) => readList(sight, inventory, list, namespace)));
}

async function readList(
  { connection, signal }: Sight,
  inventory: Inventory,
  list: InventoryList,
  namespace: string,
): Promise<void> {
  const { apiVersion, namespaced } = INVENTORY_LISTS[list];
  const scope = namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  const path = `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}${scope}/${list}`;
  const take = (object: JsonObject): void => {
    try {
      inventory.take(list, object);
    } catch (error) {
      if (!(error instanceof UnreadableObjectError)) throw error;
      inventory.refuse(list, namespaced ? namespace : '', error.message);
    }
  };
  try {
    await listPages(connection, path, take, signal);
  } catch (error) {
    if (!(error instanceof ApiError && error.refused)) throw error;
    const because = error.status === 403 ? 'permission missing' : 'this API server does not serve it';
    inventory.refuse(list, namespaced ? namespace : '', because);
  }
}
