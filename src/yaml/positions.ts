import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type LineCounter, type Node } from 'yaml';

/** Where a field begins; lines and columns count from 1. */
export interface Spot {
  readonly line: number;
  readonly column: number;
}

/** Where those fields of an object begin that a finding may point at, by their path: `spec.strategy`, `spec.volumes.0`. */
export type Spots = (path: string) => Spot | undefined;

/** A field of interest, with those below it. `*` stands for each element of a list. */
export interface Wanted {
  readonly [key: string]: Wanted;
}

const VOLUMES: Wanted = { spec: { volumes: { '*': {} } } };

/** All that findings point at, of whatever kind. */
export const WANTED: Wanted = {
  metadata: { name: {} },
  spec: {
    replicas: {},
    strategy: {},
    accessModes: {},
    template: VOLUMES,
    jobTemplate: { spec: { template: VOLUMES } },
    volumeClaimTemplates: { '*': {} },
  },
};

/** Notes the wanted fields below a node of a YAML document; what an alias stands for is where its anchor is. */
export function spotsOf(document: Document, root: Node, lines: LineCounter): Spots {
  const spots = new Map<string, Spot>();
  noteSpots(spots, { document, lines }, root);
  return lookUpIn(spots);
}

/** A closure of its own, for one made beside the tree would keep the whole tree alive. */
function lookUpIn(spots: ReadonlyMap<string, Spot>): Spots {
  return (path) => spots.get(path);
}

interface Source {
  readonly document: Document;
  readonly lines: LineCounter;
}

function noteSpots(spots: Map<string, Spot>, { document, lines }: Source, root: Node): void {
  const note = (path: string, offset: number | undefined): void => {
    const { line, col } = lines.linePos(offset ?? 0);
    spots.set(path, { line, column: col });
  };
  const visit = (node: unknown, wanted: Wanted, within: string): void => {
    const target = isAlias(node) ? node.resolve(document) : node;
    if (isSeq(target) && wanted['*'] !== undefined) {
      for (const [index, item] of target.items.entries()) {
        note(`${within}${index}`, startOf(item) ?? startOf(target));
        visit(item, wanted['*'], `${within}${index}.`);
      }
    }
    if (!isMap(target)) return;
    // Of a key that stands twice the last one counts.
    const fields = new Map(
      target.items.map(({ key, value }) => [isScalar(key) ? String(key.value) : '', { key, value }]),
    );
    for (const [name, { key, value }] of fields) {
      const below = Object.hasOwn(wanted, name) ? wanted[name] : undefined;
      if (below === undefined) continue;
      note(`${within}${name}`, startOf(key));
      visit(value, below, `${within}${name}.`);
    }
  };
  note('', startOf(root));
  visit(root, WANTED, '');
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
