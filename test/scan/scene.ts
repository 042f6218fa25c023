import { TakenObjects } from '../../src/commands/taken-objects.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { isKind } from '../../src/objects/kinds.ts';
import type { ReportedFinding } from '../../src/report/report.ts';
import type { ScanReport } from '../../src/report/scan-report.ts';
import { type Ignore, Ignores } from '../../src/rules/configured-ignores.ts';
import { scan } from '../../src/scan/scan.ts';
import { type Described, disk, manifest, node } from '../forecast/scene.ts';

export const READ_AT = '2026-11-22T12:00:00Z';
/** So long ago that a volume that only moves would have moved. */
export const LONG_AGO = '2026-11-22T11:00:00Z';
export const JUST_NOW = '2026-11-22T11:59:30Z';

/** A pod of the claim `data`, by default one that runs on `a1`. */
export interface DescribedPod {
  /** `Kind/name` of what made it. */
  readonly of?: string;
  readonly node?: string | undefined;
  readonly claims?: readonly string[];
  readonly volumes?: readonly JsonObject[];
  /** Since when none of its containers has started. */
  readonly startingSince?: string;
  readonly deleting?: boolean;
  /** What the scheduler says. */
  readonly unschedulable?: string;
}

export function pod(name: string, described: DescribedPod = {}): JsonObject {
  const { of, claims = ['data'], volumes = [], startingSince, deleting = false, unschedulable } = described;
  const nodeName = 'node' in described || unschedulable !== undefined ? described.node : 'a1';
  const [kind = '', owner = ''] = of?.split('/') ?? [];
  const scheduled = { type: 'PodScheduled', lastTransitionTime: startingSince };
  const isWaiting = startingSince !== undefined || unschedulable !== undefined;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ namespace: 'shop', name, creationTimestamp: LONG_AGO },
      ...(of !== undefined && { ownerReferences: [{ kind, name: owner, uid: uidOf(kind, owner), controller: true }] }),
      ...(deleting && { deletionTimestamp: JUST_NOW }),
    },
    spec: {
      ...(nodeName !== undefined && { nodeName }),
      volumes: [...claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })), ...volumes],
    },
    status: {
      phase: isWaiting ? 'Pending' : 'Running',
      conditions: [
        unschedulable === undefined
          ? { ...scheduled, status: 'True' }
          : { ...scheduled, status: 'False', reason: 'Unschedulable', message: unschedulable },
      ],
      containerStatuses: [{ state: isWaiting ? { waiting: { reason: 'ContainerCreating' } } : { running: {} } }],
    },
  };
}

function uidOf(kind: string, name: string): string {
  return `uid of ${kind} ${name}`;
}

/** A workload, made by another where `of` names it as `Kind/name`. */
export function workload({ of, ...described }: Described & { readonly of?: string } = {}): JsonObject {
  const { kind = 'Deployment', name = 'web', metadata } = described;
  const [maker = '', owner = ''] = of?.split('/') ?? [];
  const apiVersion = maker === 'CronJob' ? 'batch/v1' : 'apps/v1';
  const reference = { apiVersion, kind: maker, name: owner, uid: uidOf(maker, owner), controller: true };
  const references = of === undefined ? {} : { ownerReferences: [reference] };
  return manifest({ ...described, metadata: { uid: uidOf(kind, name), ...references, ...metadata } });
}

/** That the volume of `data` is attached. */
export function attachment(nodeName: string, { volume = 'data', deleting = false } = {}): JsonObject {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: `${volume}-${nodeName}`, ...(deleting && { deletionTimestamp: JUST_NOW }) },
    spec: { nodeName, source: { persistentVolumeName: volume } },
    status: { attached: true },
  };
}

export function namespace(name: string, labels: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

/** The Deployment `web` of one replica on the claim `data`, whose next rollout can hang, and its ReplicaSet. */
export const WEB: readonly JsonObject[] = [
  workload(),
  workload({ kind: 'ReplicaSet', name: 'web-1', of: 'Deployment/web' }),
];

export interface Asked {
  readonly nodes?: readonly string[];
  /** Lists that may not be read. */
  readonly unlisted?: readonly string[];
  readonly namespace?: string;
  readonly ignores?: readonly Ignore[];
}

/** Scans a small cluster, which has the namespace `shop` with two disks. */
export function scanned(objects: readonly JsonObject[], asked: Asked = {}): ScanReport {
  const { nodes = ['a1', 'a2', 'b1'], unlisted = [], namespace: one, ignores = [] } = asked;
  const taken = new TakenObjects((list) => (unlisted.includes(list) ? unknown(`${list} are not listed`) : known(true)));
  const all = [namespace('shop'), ...nodes.map((name) => node(name)), ...disk('data'), ...disk('more'), ...objects];
  for (const object of all) {
    const { kind } = object;
    if (isKind(kind) || kind === 'Pod' || kind === 'VolumeAttachment') taken.take(kind, object);
    else throw new Error(`what is a ${kind}?`);
  }
  const { state, pods } = taken;
  return scan(
    { state, pods: unlisted.includes('pods') ? undefined : pods, unseen: [], unreadable: [] },
    {
      cluster: { name: 'test', readAt: READ_AT },
      ...{ today: READ_AT.slice(0, 10), namespace: one, teamLabel: 'team' },
      ...{ matrix: storageMatrix(), stories: undefined, ignores: new Ignores(ignores, READ_AT.slice(0, 10)) },
    },
  );
}

/** The one finding of a rule. */
export function findingOf(rule: string, { findings }: ScanReport): ReportedFinding {
  const found = findings.filter((finding) => finding.rule.id === rule);
  const [one] = found;
  if (one === undefined || found.length > 1) throw new Error(`${found.length} findings of ${rule}`);
  return one;
}

/** What the finding of a rule is to the pods that run, in one line. */
export function standing(rule: string, objects: readonly JsonObject[], asked: Asked = {}): string | undefined {
  const { now } = findingOf(rule, scanned(objects, asked));
  return now && `${now.state}: ${now.because}`;
}
