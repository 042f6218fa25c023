import type { Claim } from '../facts/claim.ts';
import { idOf } from '../objects/object-key.ts';
import type { Workload } from '../objects/workload.ts';
import type { Finding } from '../rules/evaluate.ts';
import type { ObjectRef } from '../snapshot/snapshot.ts';
import type { Manifest } from '../yaml/read-manifests.ts';
import type { InputIndex } from './input-index.ts';
import type { InputObject } from './input-object.ts';

/** Another object that a finding is about. */
export interface RelatedObject {
  readonly manifest: Manifest;
  readonly message: string;
  /** The path of the field that matters. */
  readonly path: string;
}

/** An object of the input as one file meets it, with those that are as near and differ. */
export type Near = (object: ObjectRef) => NearObject | undefined;

export interface NearObject {
  readonly manifest: Manifest;
  readonly inDoubt: readonly InputObject[];
}

/** Looks objects up as a file meets them. */
export function nearestTo(file: string, index: InputIndex): Near {
  return ({ kind, namespace, name }) => {
    const ids = [idOf({ kind, namespace, name }), idOf({ kind, namespace: '', name })];
    const id = ids.find((id) => index.nearest(file, id) !== undefined) ?? '';
    const manifest = index.nearest(file, id)?.manifest;
    return manifest && { manifest, inDoubt: index.inDoubt(file, id) };
  };
}

/** The claims that a finding is about, as far as the input has them. */
export function claimsOf(
  claims: readonly Claim[],
  { metadata: { namespace } }: Workload,
  near: Near,
): readonly RelatedObject[] {
  return claims.flatMap(({ name, accessModes }) => {
    const written = near({ kind: 'PersistentVolumeClaim', namespace, name });
    const modes = accessModes.known ? `, ${accessModes.value.join(', ')}` : '';
    return written ? [{ manifest: written.manifest, message: `claim ${name}${modes}`, path: 'spec.accessModes' }] : [];
  });
}

/** The other workloads whose pods use the claim that this finding is about. */
export function sharing({ users = [] }: Finding, near: Near): readonly RelatedObject[] {
  return users.flatMap((user) => {
    const written = near(user);
    return written ? [{ manifest: written.manifest, message: `${user.kind} ${user.name} uses it too`, path: '' }] : [];
  });
}

/** How many other places are named, to show what the input looks like; with thousands, each would name all others. */
const MOST_NAMED = 4;

/** Claims that are written several times, and nothing tells which of them is meant. */
export function doubtsAbout(
  claims: readonly Claim[],
  { kind, metadata: { namespace, name: workload } }: Workload,
  from: Manifest,
  near: Near,
): readonly string[] {
  const where = ({ file, line }: Manifest): string => `${file}:${line}`;
  return claims.flatMap(({ name }) => {
    const { manifest, inDoubt } = near({ kind: 'PersistentVolumeClaim', namespace, name }) ?? { inDoubt: [] };
    if (manifest === undefined || inDoubt.length === 0) return [];
    const others = inDoubt.slice(0, MOST_NAMED).map((other) => where(other.manifest));
    const more = inDoubt.length > MOST_NAMED ? ` and ${inDoubt.length - MOST_NAMED} more` : '';
    return [
      `${where(from)}: ${kind} ${workload} takes claim ${name} from ${where(manifest)}, which differs in ${others.join(', ')}${more}`,
    ];
  });
}
