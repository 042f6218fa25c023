import type { JsonObject } from '../../src/objects/json.ts';
import { CLAIMS, GENERATION, HOSTNAME, isIn, RACK, RACKS, SERIAL, TOPOLOGIES, ZONE } from './cluster.ts';
import type { Part } from './pods.ts';

/** Long lists that a namespace user may write, by how long they are: what the worst requests are put together from. */
export const LISTS = {
  overlapClaims: (count) => ({ claims: CLAIMS.overlap.slice(0, count) }),
  localClaims: (count) => ({ claims: CLAIMS.local.slice(0, count) }),
  wideClaims: (count) => ({ claims: CLAIMS.wide.slice(0, count) }),
  zonalClaims: (count) => ({ claims: CLAIMS.zonal.slice(0, count) }),
  loneClaims: (count) => ({ claims: CLAIMS.lone.slice(0, count) }),
  sharedClaims: (count) => ({ claims: CLAIMS.shared.slice(0, count) }),
  missingClaims: (count) => ({ claims: many(count, (n) => `missing-${n}`) }),
  sameClaim: (count) => ({ claims: many(count, () => CLAIMS.zonal[0] ?? '') }),
  disks: (count) => ({ volumes: many(count, (n) => ebsDisk(n, `vol-${n}`)) }),
  sameDisk: (count) => ({ volumes: many(count, (n) => ebsDisk(n, 'vol')) }),
  readOnlyDisks: (count) => ({
    volumes: many(count, (n) => ({ name: `disk-${n}`, gcePersistentDisk: { pdName: `pd-${n}`, readOnly: true } })),
  }),
  monitors: (count) => ({
    volumes: many(Math.ceil(Math.sqrt(count)), (n) => ({
      name: `disk-${n}`,
      rbd: { image: `${n}`, monitors: many(Math.ceil(Math.sqrt(count)), (at) => `${at}`), readOnly: true },
    })),
  }),
  emptyVolumes: (count) => ({ volumes: many(count, (n) => ({ name: `empty-${n}`, emptyDir: {} })) }),
  ports: (count) => ({ ports: many(count, (n) => ({ containerPort: 80, hostPort: n + 1 })) }),
  portsOfAddresses: (count) => ({
    ports: many(count, (n) => ({
      containerPort: 80,
      hostPort: 80,
      hostIP: `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`,
    })),
  }),
  labels: (count) => ({ labels: Object.fromEntries(many(count, (n) => [`label-${n}`, `${n}`])) }),
  nodeSelector: (count) => ({
    nodeSelector: Object.fromEntries(many(count, (n) => [TOPOLOGIES[n] ?? `no-${n}`, '0'])),
  }),
  tolerations: (count) => ({
    tolerations: many(count, (n) => ({
      key: 'dedicated',
      operator: 'Equal',
      value: `none-${n}`,
      effect: 'NoSchedule',
    })),
  }),
  greaterThan: (count) => ({
    nodeTerms: many(count, (n) => term({ key: GENERATION, operator: 'Gt', values: [`${100 + n}`] })),
  }),
  greaterThanAll: (count) => ({
    nodeTerms: [termOf(many(count, (n) => ({ key: GENERATION, operator: 'Gt', values: [`${-n}`] })))],
  }),
  greaterThanSerial: (count) => ({
    nodeTerms: many(count, (n) => term({ key: SERIAL, operator: 'Gt', values: [`${10_000 + n}`] })),
  }),
  notOnHosts: (count) => ({
    nodeTerms: [term({ key: HOSTNAME, operator: 'NotIn', values: many(count, (n) => `node-${n}`) })],
  }),
  onHosts: (count) => ({
    nodeTerms: [
      term(
        isIn(
          HOSTNAME,
          many(count, (n) => `node-${n}`),
        ),
      ),
    ],
  }),
  onNoHosts: (count) => ({
    nodeTerms: [
      term(
        isIn(
          HOSTNAME,
          many(count, (n) => `none-${n}`),
        ),
      ),
    ],
  }),
  onHostsByTerm: (count) => ({
    nodeTerms: many(count, (n) => term(isIn(HOSTNAME, [`node-${n}`]), isIn('pool', ['none']))),
  }),
  onNodesByName: (count) => ({
    nodeTerms: many(count, (n) => ({
      matchFields: [isIn('metadata.name', [`node-${n}`])],
      matchExpressions: [isIn('pool', ['none'])],
    })),
  }),
  onRacks: (count) => ({
    nodeTerms: [
      term(
        isIn(
          RACK,
          many(count, (n) => `rack-${n % RACKS}`),
        ),
      ),
    ],
  }),
  offRacks: (count) => ({
    nodeTerms: many(count, (n) =>
      term({ key: RACK, operator: 'NotIn', values: [`rack-${n % RACKS}`] }, isIn('pool', ['none'])),
    ),
  }),
  longTerm: (count) => ({ nodeTerms: [termOf(many(count, (n) => ({ key: `no-${n}`, operator: 'DoesNotExist' })))] }),
  apartByZone: (count) => ({ antiAffinity: many(count, () => toSelf(ZONE)) }),
  apartByRack: (count) => ({ antiAffinity: many(count, () => toSelf(RACK)) }),
  apartByTopologies: (count) => ({ antiAffinity: many(count, (n) => toSelf(topology(n))) }),
  apartByHost: (count) => ({ antiAffinity: many(count, () => toSelf(HOSTNAME)) }),
  apartFromOthers: (count) => ({ antiAffinity: many(count, (n) => to(topology(n), isIn('app', [`no-${n}`]))) }),
  apartByLongSelector: (count) => ({
    antiAffinity: [
      toAll(
        ZONE,
        many(count, (n) => notIn('app', `no-${n}`)),
      ),
    ],
  }),
  apartByLongSelectors: (count) => ({
    antiAffinity: many(Math.ceil(Math.sqrt(count)), (n) =>
      toAll(
        topology(n),
        many(Math.ceil(Math.sqrt(count)), (at) => notIn('app', `no-${at}`)),
      ),
    ),
  }),
  apartInNamespaces: (count) => ({
    antiAffinity: [{ ...toSelf(ZONE), namespaces: [...many(count, (n) => `no-${n}`), 'strict'] }],
  }),
  apartByLabelKeys: (count) => ({
    antiAffinity: [{ ...toSelf(ZONE), matchLabelKeys: many(count, (n) => `label-${n}`) }],
  }),
  togetherByZone: (count) => ({ affinity: many(count, () => toSelf(ZONE)) }),
  togetherByRack: (count) => ({ affinity: many(count, () => toSelf(RACK)) }),
  togetherByTopologies: (count) => ({ affinity: many(count, (n) => toSelf(topology(n))) }),
  togetherByHost: (count) => ({ affinity: many(count, () => toSelf(HOSTNAME)) }),
  withOthers: (count) => ({ affinity: many(count, (n) => to(topology(n), isIn('app', ['bystander']))) }),
  withAnybody: (count) => ({ affinity: many(count, (n) => to(topology(n), { key: 'app', operator: 'Exists' })) }),
  withOthersAnywhere: (count) => ({
    affinity: many(count, (n) => ({
      ...to(topology(n), isIn('app', ['bystander'])),
      namespaceSelector: { matchExpressions: [isIn('team', ['red'])] },
    })),
  }),
  spreadByZone: (count) => ({ replicas: 6_000, spread: many(count, (n) => spreadOver(ZONE, n)) }),
  spreadByHost: (count) => ({ replicas: 6_000, spread: many(count, (n) => spreadOver(HOSTNAME, n)) }),
  spreadByRack: (count) => ({ replicas: 10_000, spread: many(count, (n) => spreadOver(RACK, n)) }),
  spreadByTopologies: (count) => ({ replicas: 10_000, spread: many(count, (n) => spreadOver(topology(n), n)) }),
  spreadHonoring: (count) => ({
    replicas: 10_000,
    spread: many(count, (n) => ({
      ...spreadOver(topology(n), n),
      nodeTaintsPolicy: 'Honor',
      nodeAffinityPolicy: 'Ignore',
    })),
  }),
  replicas: (count) => ({ replicas: count }),
  ownClaims: (count) => ({ replicas: 16, claimTemplates: many(count, (n) => `own-${n}`) }),
  exceptions: (count) => ({
    annotations: { 'rwo-guard.dev/ignore': `${'replicas-split,'.repeat(count)}claim-shared: because` },
  }),
  managers: (count) => ({
    managedFields: many(count, (n) => ({
      manager: `${n}`,
      operation: 'Apply',
      fieldsV1: { 'f:spec': { 'f:paused': {} } },
    })),
  }),
} as const satisfies Readonly<Record<string, (count: number) => Part>>;

export type List = keyof typeof LISTS;

function many<T>(count: number, one: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => one(n));
}

/** Topologies in turn: most of them, and racks, are there; the others no node has. */
function topology(n: number): string {
  return [ZONE, RACK, ...TOPOLOGIES][n] ?? `example.com/no-${n}`;
}

function term(...matchExpressions: readonly JsonObject[]): JsonObject {
  return termOf(matchExpressions);
}

/** The same for more expressions than a call may have arguments. */
function termOf(matchExpressions: readonly JsonObject[]): JsonObject {
  return { matchExpressions };
}

function notIn(key: string, value: string): JsonObject {
  return { key, operator: 'NotIn', values: [value] };
}

function to(topologyKey: string, ...matchExpressions: readonly JsonObject[]): JsonObject {
  return toAll(topologyKey, matchExpressions);
}

function toAll(topologyKey: string, matchExpressions: readonly JsonObject[]): JsonObject {
  return { topologyKey, labelSelector: { matchExpressions } };
}

function toSelf(topologyKey: string): JsonObject {
  return to(topologyKey, isIn('app', ['web']));
}

function spreadOver(topologyKey: string, n: number): JsonObject {
  const labelSelector = { matchExpressions: [isIn('app', ['web'])] };
  return { topologyKey, maxSkew: n + 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector };
}

function ebsDisk(n: number, volumeID: string): JsonObject {
  return { name: `disk-${n}`, awsElasticBlockStore: { volumeID } };
}
