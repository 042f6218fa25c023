import { HOSTNAME, isTransient, type Node } from '../objects/node.ts';
import { AllocatableRange } from './allocatable-range.ts';
import { DomainCount, type Domains, domainIn } from './domains.ts';

/** Nodes that no query without an identifying label can tell apart, by name: one look at any of them judges all. */
export type Shape = ReadonlyMap<string, Node>;

/**
 * A label with more values than this identifies single nodes or small groups, as `kubernetes.io/hostname` does, and
 * does not make a shape of its own. Node pools, zones and architectures of one cluster stay well below it.
 */
const MOST_VALUES_OF_A_SHAPE = 64;

/** How many topologies a shape keeps domains of: any label may be one, and each of 5,000 nodes may be a domain. */
const MOST_TOPOLOGIES = 16;

/**
 * The nodes, arranged so that whoever looks for some that fit looks at few of them, however many there are. A set of
 * nodes that changes with the cluster; their order is not defined.
 */
export class NodeIndex {
  readonly #nodes = new Map<string, Node>();
  readonly #byLabel = new Map<string, Groups>();
  readonly #identifying = new Set<string>([HOSTNAME, 'metadata.name']);
  #shapes: Groups | undefined;
  /** The domains of each shape by topology, for shapes that have not changed since they were counted. */
  #domains = new WeakMap<Shape, Map<string, Domains>>();
  #allocatable = new WeakMap<Shape, AllocatableRange>();
  #version = 0;

  /** A number that changes with the nodes, so that whoever remembers an answer knows whether it still holds. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Whether every node has a hostname, and each another one, as kubelets write it; people and their tools may not. */
  get hostnamesTellNodes(): boolean {
    return this.tellsNodes(HOSTNAME);
  }

  names(): Iterable<string> {
    return this.#nodes.keys();
  }

  get(name: string): Node | undefined {
    return this.#nodes.get(name);
  }

  set(node: Node): void {
    const before = this.#nodes.get(node.name);
    if (before !== undefined && textOf(before) === textOf(node)) return;
    this.delete(node.name);
    this.#version++;
    this.#nodes.set(node.name, node);
    for (const [label, value] of node.labels) this.#addLabel(label, value, node);
    if (this.#shapes !== undefined) this.#forget(addTo(this.#shapes, this.#shapeOf(node), node));
  }

  delete(name: string): void {
    const node = this.#nodes.get(name);
    if (node === undefined) return;
    this.#version++;
    this.#nodes.delete(name);
    for (const [label, value] of node.labels) removeFrom(this.#byLabel.get(label), value, name);
    const shape = removeFrom(this.#shapes, this.#shapeOf(node), name);
    if (shape !== undefined) this.#forget(shape);
  }

  /** Whether nodes of one shape may differ in what this label says; all have it, or none has. */
  isIdentifying(label: string): boolean {
    return this.#identifying.has(label);
  }

  /** Nodes with this value of an identifying label. */
  nodesWith(label: string, value: string): Iterable<Node> {
    return this.#byLabel.get(label)?.get(value)?.values() ?? [];
  }

  /** How many nodes have this value of a label. */
  countWith(label: string, value: string): number {
    return this.#byLabel.get(label)?.get(value)?.size ?? 0;
  }

  /** Whether every node has the label, and each another value of it. */
  tellsNodes(label: string): boolean {
    return (this.#byLabel.get(label)?.size ?? 0) === this.size;
  }

  /** The domains that the nodes of one shape are in, counted once for as long as the shape has the same nodes. */
  domainsIn(shape: Shape, topology: string): Domains {
    const byTopology = this.#domains.get(shape) ?? new Map<string, Domains>();
    const known = byTopology.get(topology);
    if (known !== undefined) return known;
    if (byTopology.size >= MOST_TOPOLOGIES) byTopology.clear();
    const count = new DomainCount();
    for (const node of shape.values()) count.add(domainIn([topology], node), node.name);
    this.#domains.set(shape, byTopology.set(topology, count.domains));
    return count.domains;
  }

  /** What the nodes of one shape have for pods, looked at once for as long as the shape has the same nodes. */
  allocatableIn(shape: Shape): AllocatableRange {
    const range = this.#allocatable.get(shape) ?? new AllocatableRange(shape.values());
    this.#allocatable.set(shape, range);
    return range;
  }

  #forget(shape: Shape): void {
    this.#domains.delete(shape);
    this.#allocatable.delete(shape);
  }

  #addLabel(label: string, value: string, node: Node): void {
    const values: Groups = this.#byLabel.get(label) ?? new Map();
    this.#byLabel.set(label, values);
    addTo(values, value, node);
    if (values.size <= MOST_VALUES_OF_A_SHAPE || this.#identifying.has(label)) return;
    this.#identifying.add(label);
    this.#shapes = undefined; // their keys held this label
  }

  shapes(): Iterable<Shape> {
    if (this.#shapes === undefined) {
      this.#shapes = new Map();
      for (const node of this.#nodes.values()) addTo(this.#shapes, this.#shapeOf(node), node);
    }
    return this.#shapes.values();
  }

  /** A text that nodes of one shape share. Labels come in the order of their names, as the API server writes them. */
  #shapeOf(node: Node): string {
    const labels = [...node.labels].map(([label, value]) => (this.#identifying.has(label) ? [label] : [label, value]));
    const taints = node.taints
      .filter((taint) => !isTransient(taint))
      .map((taint) => [taint.key, taint.value, taint.effect]);
    return JSON.stringify([labels, taints]);
  }
}

/** What tells a node from another one; kubelets say all of it again every few minutes, most of them the same. */
function textOf({ name, labels, taints, unschedulable, allocatable }: Node): string {
  return JSON.stringify([name, [...labels], taints, unschedulable, allocatable && [...allocatable]]);
}

/** Nodes by name, in groups: by the value of a label, or by shape. */
type Groups = Map<string, Map<string, Node>>;

function addTo(groups: Groups, key: string, node: Node): Shape {
  const group = groups.get(key) ?? new Map<string, Node>();
  groups.set(key, group.set(node.name, node));
  return group;
}

function removeFrom(groups: Groups | undefined, key: string, name: string): Shape | undefined {
  const group = groups?.get(key);
  group?.delete(name);
  if (group?.size === 0) groups?.delete(key);
  return group;
}
