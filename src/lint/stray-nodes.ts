import { WORKLOAD_KINDS } from '../objects/workload.ts';
import type { Manifest } from '../yaml/read-manifests.ts';

const OF_WORKLOADS: ReadonlySet<unknown> = new Set(WORKLOAD_KINDS);

/**
 * Parts the Nodes that stand in a file without a workload from all other manifests. Whoever writes a cluster down writes both
 * into one file; a Node by itself is test data or an example, and would make a cluster of one node of everything beside it.
 */
export function withoutStrayNodes(manifests: readonly Manifest[]): {
  readonly manifests: readonly Manifest[];
  readonly stray: readonly Manifest[];
} {
  const nodes = manifests.filter(isNode);
  if (nodes.length === 0) return { manifests, stray: [] };
  const withWorkload = new Set(manifests.filter(({ object }) => OF_WORKLOADS.has(object.kind)).map(({ file }) => file));
  const stray = new Set(nodes.filter(({ file }) => !withWorkload.has(file)));
  return { manifests: manifests.filter((manifest) => !stray.has(manifest)), stray: [...stray] };
}

export function isNode({ object }: Pick<Manifest, 'object'>): boolean {
  return object.kind === 'Node' && object.apiVersion === 'v1';
}
