import { Audit, type AuditOptions } from '../../src/audit/audit.ts';
import type { AuditedBy } from '../../src/audit/judge-standing.ts';
import { standingIn } from '../../src/audit/standing-objects.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { type JsonObject, objectAt, stringAt } from '../../src/objects/json.ts';
import { KINDS, type Kind, kindOf } from '../../src/objects/kinds.ts';
import { keyOf } from '../../src/objects/object-key.ts';
import { rules } from '../../src/rules/index.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';
import { claim, namespace, node } from '../admission/scene.ts';
import { FakeLog } from '../cluster/fake-api.ts';
import { FakeWriter } from './fake-writer.ts';
import { ManualTime } from './manual-time.ts';

const EVENTS = '/apis/events.k8s.io/v1';
const REPORTS = '/apis/openreports.io/v1alpha1';

/** A cluster of two nodes whose disks attach to one, with what audits it. */
export function audited(options: Partial<Omit<AuditOptions, 'by'>> & { by?: Partial<AuditedBy> } = {}) {
  const state = new ClusterState();
  const [api, time, log] = [new FakeWriter(), new ManualTime(), new FakeLog()];
  const auditing = () =>
    new Audit({
      api,
      standing: standingIn(state.tables),
      isCurrent: () => true,
      lease: { namespace: 'guard', name: 'audit' },
      identity: 'one',
      writes: { events: true, openReports: false },
      time,
      log,
      ...options,
      by: {
        snapshot: state,
        matrix: storageMatrix(),
        judge: { rules },
        defaultMode: 'warn',
        exemptions: () => ({ policy: 'allow', today: new Date(time.now()).toISOString().slice(0, 10) }),
        exemptNamespaces: ['kube-system'],
        ...options.by,
      },
    });
  let audit = auditing();
  /** As a watch brings it. */
  const put = (...objects: readonly JsonObject[]): void => {
    for (const object of objects) {
      putObject(state, object);
      const [list, key] = listAndKey(object);
      audit.changed(list, key);
    }
  };
  const remove = (object: JsonObject): void => {
    const [list, key, kind] = listAndKey(object);
    state.tables[kind].delete(key);
    audit.changed(list, key);
  };
  put(node('a'), node('b'), namespace('shop', {}), storageClass(), csiDriver());
  return {
    state,
    api,
    time,
    log,
    put,
    remove,
    now: () => audit.state(),
    start: () => audit.start(),
    stop: async () => {
      const stopped = audit.stop();
      await time.pass(3_000);
      await stopped;
    },
    /** Another process, of which the first one knows nothing. */
    restart: () => {
      audit = auditing();
      audit.start();
    },
    /** `RolloutDeadlockRisk web` for each Event, and how often. */
    events: () =>
      api.under(`${EVENTS}/events`).map((event) => {
        const count = objectAt(event, 'series')?.count;
        const name = stringAt(objectAt(event, 'regarding'), 'name');
        return `${stringAt(event, 'reason')} ${name}${count === undefined ? '' : ` x${count}`}`;
      }),
    reports: () => api.under(`${REPORTS}/reports`),
  };
}

function listAndKey(object: JsonObject) {
  const kind = kindOf(object) as Kind;
  const metadata = objectAt(object, 'metadata');
  const [space, name] = [stringAt(metadata, 'namespace') ?? '', stringAt(metadata, 'name') ?? ''];
  return [KINDS[kind].list, keyOf(space, name), kind] as const;
}

/** A Deployment whose next rollout can hang, with its claim. */
export function hazard(name: string, more: object = {}, metadata: object = {}): readonly JsonObject[] {
  return [claim(name), deployment(name, more, metadata)];
}

export function deployment(name: string, more: object = {}, metadata: object = {}): JsonObject {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: name } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'shop', name, uid: `uid-${name}`, ...metadata },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { volumes } },
      ...more,
    },
  };
}

export const mended = { strategy: { type: 'Recreate' } };

function storageClass(): JsonObject {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'disk' },
    provisioner: 'disk.example.com',
  };
}

function csiDriver(): JsonObject {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'disk.example.com' },
    spec: { attachRequired: true },
  };
}
