import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Admitted } from '../src/admission/admission.ts';
import { createAdmission } from '../src/admission/admit.ts';
import type { NodeReading } from '../src/admission/node-reading.ts';
import { RecentRequests } from '../src/cluster/recent-requests.ts';
import type { Mode } from '../src/decision/mode.ts';
import { storageMatrix } from '../src/facts/storage-backend.ts';
import { snapshotOf } from '../src/lint/file-snapshot.ts';
import { known } from '../src/objects/fact.ts';
import { isObject, type JsonObject, objectAt, stringAt } from '../src/objects/json.ts';
import { kindOf } from '../src/objects/kinds.ts';
import { metadataFrom } from '../src/objects/metadata.ts';
import { nodeStatusFrom } from '../src/objects/node-status.ts';
import { podFrom } from '../src/objects/pod.ts';
import { rules } from '../src/rules/index.ts';
import { parseManifests } from '../src/yaml/read-manifests.ts';
import { FIXTURES, type Verdict } from './fixtures.ts';

/** A little cluster, and what somebody does in it. */
export interface GuardFixture {
  readonly objects: readonly JsonObject[];
  readonly act: Act;
}

/** What the last document of the file says, which is of kind `Request`. */
export interface Act {
  readonly operation: 'UPDATE' | 'DELETE';
  /** One of the objects. */
  readonly target: JsonObject;
  /** UPDATE: a merge patch. */
  readonly patch: JsonObject;
  /** DELETE: its options. */
  readonly options: JsonObject;
  /** Who does it; jane, who is a person, where nobody is named. */
  readonly user: string | undefined;
}

export function guardFixture(rule: string, verdict: Verdict, name: string): GuardFixture {
  const file = `${rule}/${verdict}/${name}.yaml`;
  const { manifests } = parseManifests(readFileSync(new URL(file, FIXTURES), 'utf8'), file);
  const all = manifests.map(({ object }) => object);
  const [request = {}, objects] = [all.at(-1), all.slice(0, -1)];
  assert.equal(request.kind, 'Request', `${file} ends with what somebody does`);
  const of = objectAt(request, 'of') ?? {};
  const target = objects.find((object) => object.kind === of.kind && metadataFrom(object).name === of.name);
  const { operation } = request;
  assert.ok(target !== undefined && (operation === 'UPDATE' || operation === 'DELETE'), file);
  const [patch, options] = [objectAt(request, 'patch') ?? {}, objectAt(request, 'options') ?? {}];
  return { objects, act: { operation, target, patch, options, user: stringAt(request, 'user') } };
}

/** What the API server is answered, where guards have that mode and the namespaces have none. */
export function answerTo({ objects, act }: GuardFixture, mode: Mode = 'enforce'): Promise<Admitted> {
  const watched = objects.filter((object) => kindOf(object) !== undefined);
  const { snapshot } = snapshotOf(watched.map((object) => ({ file: '', line: 1, object })));
  const admission = createAdmission({
    snapshot,
    matrix: storageMatrix(),
    rules,
    lookUp: async (refs) => refs.map((ref) => ({ ...ref, found: known(undefined) })),
    guards: { mode, nodes: nodesOf(objects) },
    recent: new RecentRequests(() => 0),
    settings: {
      defaultMode: 'warn',
      policy: { dryRun: 'warn', existing: 'warn', exemptions: 'allow', overBudget: 'warn' },
      exempt: { namespaces: [], users: [], autoscalers: [] },
    },
  });
  return admission.validate(reviewOf(act), AbortSignal.timeout(5_000));
}

/** Answers as an API server does that has these objects. */
export function nodesOf(objects: readonly JsonObject[]): NodeReading {
  const node = (name: string) => objects.find((object) => object.kind === 'Node' && metadataFrom(object).name === name);
  const pods = objects.filter(({ kind }) => kind === 'Pod').flatMap((object) => podFrom(object) ?? []);
  return {
    async node(name) {
      const object = node(name);
      return known(object && nodeStatusFrom(object));
    },
    podsOn: async (name, namespace) =>
      known(pods.filter((pod) => pod.nodeName === name && (namespace === '' || pod.namespace === namespace))),
  };
}

export function reviewOf({ operation, target, patch, options, user = 'jane' }: Act): object {
  const { namespace, name } = metadataFrom(target);
  const [version = '', group = ''] = (stringAt(target, 'apiVersion') ?? '').split('/').reverse();
  const kind = stringAt(target, 'kind') ?? '';
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u-1',
      kind: { group, version, kind },
      resource: { group, version, resource: `${kind.toLowerCase()}s` },
      operation,
      namespace,
      name,
      userInfo: { username: user, groups: [] },
      object: operation === 'DELETE' ? null : merged(target, patch),
      oldObject: target,
      options,
    },
  };
}

/** RFC 7386, as far as fixtures need it. */
export function merged(object: JsonObject, patch: JsonObject): JsonObject {
  const entries = Object.entries(patch).map(([key, value]) => {
    const old = object[key];
    return [key, isObject(value) ? merged(isObject(old) ? old : {}, value) : value];
  });
  return { ...object, ...Object.fromEntries(entries) };
}
