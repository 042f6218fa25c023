import { readFileSync } from 'node:fs';
import { type JsonObject, objectAt, stringAt } from '../../src/objects/json.ts';
import { WORKLOAD_KINDS } from '../../src/objects/kinds.ts';
import { guards } from '../../src/rules/index.ts';
import { parseManifests } from '../../src/yaml/read-manifests.ts';
import { everyFixture, FIXTURES } from '../fixtures.ts';
import { guardFixture, reviewOf as reviewOfAct } from '../guard-fixtures.ts';

/** What API servers send, and the cluster that it is about. */
export interface Legal {
  readonly cluster: readonly JsonObject[];
  /** AdmissionReviews as JSON, of every kind and operation that is judged. */
  readonly reviews: readonly string[];
  /** One of them that has to be denied, whatever came before it. */
  readonly hazard: string;
}

const MODES = ['enforce', 'warn', 'audit', 'enforce'] as const;
const MUTATE = [undefined, undefined, 'auto', 'pod-affinity', undefined] as const;

/** Every fixture in namespaces of its own, some of which enforce and some repair; nodes and volumes are those of all. */
export function legalReviews(): Legal {
  const cluster: JsonObject[] = [];
  const reviews: string[] = [];
  for (const [index, { file }] of everyFixture().entries()) {
    const { manifests } = parseManifests(readFileSync(new URL(file, FIXTURES), 'utf8'), file);
    const objects = manifests.map(({ object }) => inNamespace(object, `-${index}`));
    const subject = objects.at(-1);
    if (subject === undefined) continue;
    cluster.push(...objects.slice(0, -1), namespaceOf(subject, index));
    const previous = objects.at(-2);
    reviews.push(...reviewsOf(subject, previous !== undefined && isSame(subject, previous) ? previous : undefined));
  }
  for (const { rule, verdict, name } of everyFixture(FIXTURES, guards)) {
    reviews.push(JSON.stringify(reviewOfAct(guardFixture(rule, verdict, name).act)));
  }
  cluster.push(...HAZARD_CLUSTER);
  return { cluster, reviews, hazard: reviewOf(HAZARD, { operation: 'CREATE', object: HAZARD }) };
}

function inNamespace(object: JsonObject, suffix: string): JsonObject {
  const metadata = objectAt(object, 'metadata');
  const namespace = stringAt(metadata, 'namespace');
  if (stringAt(object, 'kind') === 'Namespace') {
    return { ...object, metadata: { ...metadata, name: `${stringAt(metadata, 'name')}${suffix}` } };
  }
  return namespace === undefined
    ? object
    : { ...object, metadata: { ...metadata, namespace: `${namespace}${suffix}` } };
}

function namespaceOf(subject: JsonObject, index: number): JsonObject {
  const mutate = MUTATE[index % MUTATE.length];
  const labels = {
    'rwo-guard.dev/mode': MODES[index % MODES.length],
    ...(mutate === undefined ? {} : { 'rwo-guard.dev/mutate': mutate }),
  };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: objectAt(subject, 'metadata')?.namespace, labels } };
}

function isSame(one: JsonObject, other: JsonObject): boolean {
  return one.kind === other.kind && objectAt(one, 'metadata')?.name === objectAt(other, 'metadata')?.name;
}

function reviewsOf(subject: JsonObject, previous: JsonObject | undefined): readonly string[] {
  const idle = { ...subject, spec: { ...objectAt(subject, 'spec'), replicas: 0 } };
  const scale = (replicas: number) => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: subject.metadata,
    spec: { replicas },
  });
  const reviews = [
    { operation: 'CREATE', object: subject, oldObject: null },
    { operation: 'CREATE', object: subject, oldObject: null, dryRun: true },
    { operation: 'UPDATE', object: subject, oldObject: previous ?? idle },
    { operation: 'DELETE', object: null, oldObject: subject },
  ];
  const scaling = { operation: 'UPDATE', subResource: 'scale', object: scale(3), oldObject: scale(1) };
  const isWorkload = WORKLOAD_KINDS.some((kind) => kind === subject.kind);
  return [...reviews, ...(isWorkload ? [scaling] : [])].map((request) => reviewOf(subject, request));
}

function reviewOf(object: JsonObject, request: object): string {
  const apiVersion = String(object.apiVersion);
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const metadata = objectAt(object, 'metadata');
  const kind = String(object.kind);
  return JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      kind: { group, version, kind },
      resource: { group, version, resource: `${kind.toLowerCase()}s` },
      requestKind: { group, version, kind },
      name: metadata?.name,
      namespace: metadata?.namespace,
      userInfo: { username: 'jane', uid: '1', groups: ['developers', 'system:authenticated'], extra: {} },
      dryRun: false,
      options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions' },
      ...request,
    },
  });
}

const HAZARD_CLUSTER: readonly JsonObject[] = [
  ...['a', 'b', 'c'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `open-${name}`, labels: { 'kubernetes.io/hostname': `open-${name}` } },
  })),
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'hazard', labels: { 'rwo-guard.dev/mode': 'enforce' } },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'disk.hazard.example.com' },
    spec: { attachRequired: true },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'hazard' },
    provisioner: 'disk.hazard.example.com',
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'hazard', name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'hazard' },
  },
];

const HAZARD: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'hazard', name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [{ name: 'web', image: 'web', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    },
  },
};
