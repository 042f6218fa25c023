import { KINDS, type Kind } from '../objects/kinds.ts';
import type { ObjectRef } from '../snapshot/snapshot.ts';

/** All objects of a kind, in all namespaces. */
export function listPath(kind: Kind): string {
  return `${rootOf(kind)}/${KINDS[kind].list}`;
}

/** Names come from users and end up in a path, so they are encoded. */
export function objectPath({ kind, namespace, name }: ObjectRef): string {
  const scope = namespace === '' ? '' : `namespaces/${encodeURIComponent(namespace)}/`;
  return `${rootOf(kind)}/${scope}${KINDS[kind].list}/${encodeURIComponent(name)}`;
}

/** The legacy group has a root of its own (`apimachinery/pkg/runtime/schema`: its name is empty). */
function rootOf(kind: Kind): string {
  const { apiVersion } = KINDS[kind];
  return `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}`;
}
