import { isObject, type JsonObject, objectAt } from '../../src/objects/json.ts';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';

/** Fields that the API server and its controllers add, and nobody writes. */
const ADDED_FIELDS: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'finalizers',
  'selfLink',
  'ownerReferences',
  'timeAdded',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'imagePullPolicy',
  'manualSelector',
]);

/** Labels and annotations that controllers add, or the harness for itself. */
const ADDED_KEYS = [
  /^(pv|volumes?|volume\.beta|node\.alpha|deployment|batch)\.kubernetes\.io\//,
  /^(controller-uid|job-name|deprecated\.daemonset\.template\.generation|topology\.kubernetes\.io\/region)$/,
  /^oracle\.example\.com\/(scenario|rank)$/,
];

/** What defaulting fills in (`pkg/apis/{apps,batch,core}/v1/defaults.go:SetDefaults_*`). */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  schedulerName: 'default-scheduler',
  dnsPolicy: 'ClusterFirst',
  terminationGracePeriodSeconds: 30,
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600,
  podManagementPolicy: 'OrderedReady',
  whenDeleted: 'Retain',
  whenScaled: 'Retain',
  backoffLimit: 6,
  completionMode: 'NonIndexed',
  suspend: false,
  podReplacementPolicy: 'TerminatingOrFailed',
  successfulJobsHistoryLimit: 3,
  failedJobsHistoryLimit: 1,
  volumeMode: 'Filesystem',
  phase: 'Pending',
  protocol: 'TCP',
};

const EMPTY_IS_NOTHING: ReadonlySet<string> = new Set([
  'spec',
  'labels',
  'annotations',
  'taints',
  'tolerations',
  'resources',
  'securityContext',
  'metadata',
  'volumeMounts',
  'volumeClaimTemplates',
  'updateStrategy',
]);

/** Objects of a scenario as a person would write them, under the names that fixtures have. They mean the same. */
export function asWritten(objects: readonly KubernetesObject[], scenario: string): readonly JsonObject[] {
  return objects.map((object) => {
    const json: JsonObject = JSON.parse(JSON.stringify(object));
    const { apiVersion, kind, status, ...rest } = json;
    const isBound = kind === 'PersistentVolumeClaim' && objectAt(json, 'status')?.phase === 'Bound';
    const kept = { apiVersion, kind, ...rest, ...(isBound ? { status } : {}) };
    const written = tidied(kept, '', (text, key) => renamed(text, key, String(kind), scenario));
    return isObject(written) ? written : {};
  });
}

/** Without what nobody writes, and without what is empty then. */
function tidied(value: unknown, key: string, rename: (text: string, key: string) => string): unknown {
  if (typeof value === 'string') return rename(value, key);
  if (Array.isArray(value)) return value.map((item) => tidied(item, key, rename));
  if (!isObject(value)) return value;
  const fields = Object.entries(value)
    .filter(([name, field]) => !isAdded(name, field))
    .map(([name, field]) => [name, field, tidied(field, name, rename)] as const)
    .filter(([name, field, kept]) => !saysNothing(name, field, kept));
  return Object.fromEntries(fields.map(([name, , kept]) => [rename(name, ''), kept]));
}

function isAdded(name: string, field: unknown): boolean {
  if (ADDED_FIELDS.has(name) || ADDED_KEYS.some((pattern) => pattern.test(name))) return true;
  return name in DEFAULTS && DEFAULTS[name] === field;
}

/** Some things are not the same when they are empty and when they are not there, as a selector is, unless it was emptied here. */
function saysNothing(name: string, before: unknown, after: unknown): boolean {
  return isEmpty(after) && (EMPTY_IS_NOTHING.has(name) || !isEmpty(before));
}

function isEmpty(value: unknown): boolean {
  return isObject(value) ? Object.keys(value).length === 0 : Array.isArray(value) && value.length === 0;
}

/** A scenario calls its namespace, its workload and its class by its own name, and everything else after it. */
function renamed(text: string, key: string, kind: string, scenario: string): string {
  if (text !== scenario) return writtenName(text, scenario);
  if (key === 'namespace' || key === 'namespaces' || kind === 'Namespace') return 'shop';
  return key === 'storageClassName' || kind === 'StorageClass' ? 'disks' : 'web';
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** The name of one of the scenario's nodes, volumes or drivers, as fixtures have it. */
export function writtenName(name: string, scenario: string): string {
  if (name.startsWith(`${scenario}-`)) {
    const rest = name.slice(scenario.length);
    return /^-\d+$/.test(rest) ? `node-${LETTERS.charAt(Number(rest.slice(1)))}` : `volume${rest}`;
  }
  if (name.startsWith(`${scenario}.`)) return name.replace(scenario, 'disk');
  return name.replace(scenario, 'web').replace('oracle.example.com/', 'example.com/');
}
