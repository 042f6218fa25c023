import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type LineCounter, type Node } from 'yaml';

/** Where a field begins; lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where those fields of an object begin that a finding may point at, by their path: `spec.strategy`, `spec.volumes.0`. */
export type Positions = (path: string) => Position | undefined;

/** A field of interest, with those below it. `*` stands for each element of a list. */
export interface Fields {
  readonly [key: string]: Fields;
}

const VOLUMES: Fields = { spec: { volumes: { '*': {} } } };

/** All that findings point at, of whatever kind. */
export const FIELDS: Fields = {
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
export function positionsOf(document: Document, root: Node, lines: LineCounter): Positions {
  const positions = new Map<string, Position>();
  notePositions(positions, { document, lines }, root);
  return lookUpIn(positions);
}

/** A closure of its own, for one made beside the tree would keep the whole tree alive. */
function lookUpIn(positions: ReadonlyMap<string, Position>): Positions {
  return (path) => positions.get(path);
}

interface Source {
  readonly document: Document;
  readonly lines: LineCounter;
}

function notePositions(positions: Map<string, Position>, { document, lines }: Source, root: Node): void {
  const note = (path: string, offset: number | undefined): void => {
    const { line, col } = lines.linePos(offset ?? 0);
    positions.set(path, { line, column: col });
  };
  const visit = (node: unknown, wanted: Fields, within: string): void => {
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
  visit(root, FIELDS, '');
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
