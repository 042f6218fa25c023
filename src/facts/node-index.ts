import { HOSTNAME, isWeather, type Node } from './node.ts';
import { matchesRequirement, type NodeSelectorTerm } from './selector.ts';
import { repels, type Taint, type Toleration } from './toleration.ts';
import { currentLabel, ZONE_LABELS } from './zone.ts';

/** Which nodes are asked for. Everything has to hold. */
export interface NodeQuery {
  /** Each entry is a choice: one of its terms has to match the node. */
  readonly selectors: readonly (readonly NodeSelectorTerm[])[];
  /** Zone and region labels of volumes, each with the values allowed (`volumezone`). */
  readonly zones: readonly ReadonlyMap<string, readonly string[]>[];
  readonly tolerations: readonly Toleration[];
  /** Whether cordons and the taints that Kubernetes sets by a node's health count as they are at this moment. */
  readonly weather: boolean;
}

/** Nodes that no query without an identifying label can tell apart, by name: one look at any of them judges all. */
type Shape = ReadonlyMap<string, Node>;

/**
 * A label with more values than this identifies single nodes or small groups, as `kubernetes.io/hostname` does, and
 * does not make a shape of its own. Node pools, zones and architectures of one cluster stay well below it.
 */
const MOST_VALUES_OF_A_SHAPE = 64;

/**
 * The nodes, arranged so that asking for two that fit looks at few of them, however many there are. A set of nodes
 * that changes with the cluster; the order of answers is not defined.
 */
export class NodeIndex {
  readonly #nodes = new Map<string, Node>();
  readonly #byLabel = new Map<string, Groups>();
  readonly #identifying = new Set<string>([HOSTNAME, 'metadata.name']);
  #shapes: Groups | undefined;

  get size(): number {
    return this.#nodes.size;
  }

  /** Whether every node has a hostname, and each another one, as kubelets write it; people and their tools may not. */
  get hostnamesTellNodes(): boolean {
    return (this.#byLabel.get(HOSTNAME)?.size ?? 0) === this.size;
  }

  names(): Iterable<string> {
    return this.#nodes.keys();
  }

  get(name: string): Node | undefined {
    return this.#nodes.get(name);
  }

  set(node: Node): void {
    this.delete(node.name);
    this.#nodes.set(node.name, node);
    for (const [label, value] of node.labels) this.#addLabel(label, value, node);
    if (this.#shapes !== undefined) addTo(this.#shapes, this.#shapeOf(node), node);
  }

  delete(name: string): void {
    const node = this.#nodes.get(name);
    if (node === undefined) return;
    this.#nodes.delete(name);
    for (const [label, value] of node.labels) removeFrom(this.#byLabel.get(label), value, name);
    removeFrom(this.#shapes, this.#shapeOf(node), name);
  }

  /** At most `limit` nodes that fit, leaving out what `except` names. */
  find(query: NodeQuery, limit: number, except: ReadonlySet<string> = new Set()): readonly Node[] {
    const found: Node[] = [];
    for (const node of this.#candidates(query)) {
      if (found.length >= limit) break;
      if (!except.has(node.name) && fits(node, query)) found.push(node);
    }
    return found;
  }

  /** Some node that fits the one query and not the other. */
  findBeside(query: NodeQuery, other: NodeQuery): Node | undefined {
    for (const node of this.#candidates(query, other)) {
      if (fits(node, query) && !fits(node, other)) return node;
    }
    return undefined;
  }

  /** Whether the node is there and fits. */
  fits(name: string, query: NodeQuery): boolean {
    const node = this.#nodes.get(name);
    return node !== undefined && fits(node, query);
  }

  /** Whatever may fit `query`, without shapes of which every node is sure to fit `beside`. */
  *#candidates(query: NodeQuery, beside?: NodeQuery): Iterable<Node> {
    const named = this.#named(query);
    if (named !== undefined) {
      yield* named;
      return;
    }
    for (const shape of this.#currentShapes()) {
      if (beside === undefined || !this.#allFit(shape, beside)) yield* this.#worthLooking(shape, query);
    }
  }

  /** The nodes that a choice names by their identity, if some choice does so in all its terms. */
  #named(query: NodeQuery): Iterable<Node> | undefined {
    for (const terms of query.selectors) {
      const pools = terms.map((term) => this.#namedByTerm(term));
      if (pools.every((pool) => pool !== undefined)) return new Set(pools.flat());
    }
    return undefined;
  }

  #namedByTerm(term: NodeSelectorTerm): readonly Node[] | undefined {
    for (const { operator, values } of term.fields) {
      if (operator === 'In') return values.flatMap((name) => this.#nodes.get(name) ?? []);
    }
    for (const { key, operator, values } of term.expressions) {
      if (operator !== 'In' || !this.#identifying.has(key)) continue;
      return values.flatMap((value) => [...(this.#byLabel.get(key)?.get(value)?.values() ?? [])]);
    }
    return undefined;
  }

  /** All nodes of a shape, or none where the first shows that the shape cannot fit. */
  #worthLooking(shape: Shape, query: NodeQuery): Iterable<Node> {
    const shaping = (label: string): boolean => !this.#identifying.has(label);
    for (const node of shape.values()) return fits(node, query, shaping) ? shape.values() : [];
    return [];
  }

  /** Only said of a query that looks at nothing in which nodes of one shape differ. */
  #allFit(shape: Shape, query: NodeQuery): boolean {
    const asked = query.selectors.flat().flatMap(({ expressions, fields }) => [...expressions, ...fields]);
    const told = asked.filter(({ operator }) => !PRESENCE.has(operator));
    const labels = [...ZONE_LABELS, ...told.map(({ key }) => key)];
    if (query.weather || labels.some((label) => this.#identifying.has(label))) return false;
    for (const node of shape.values()) return fits(node, query);
    return true;
  }

  #addLabel(label: string, value: string, node: Node): void {
    const values: Groups = this.#byLabel.get(label) ?? new Map();
    this.#byLabel.set(label, values);
    addTo(values, value, node);
    if (values.size <= MOST_VALUES_OF_A_SHAPE || this.#identifying.has(label)) return;
    this.#identifying.add(label);
    this.#shapes = undefined; // their keys held this label
  }

  #currentShapes(): Iterable<Shape> {
    if (this.#shapes === undefined) {
      this.#shapes = new Map();
      for (const node of this.#nodes.values()) addTo(this.#shapes, this.#shapeOf(node), node);
    }
    return this.#shapes.values();
  }

  /** Labels come in the order of their names, as the API server writes them. */
  #shapeOf(node: Node): string {
    const labels = [...node.labels].map(([label, value]) => (this.#identifying.has(label) ? [label] : [label, value]));
    const taints = node.taints
      .filter((taint) => !isWeather(taint))
      .map((taint) => [taint.key, taint.value, taint.effect]);
    return JSON.stringify([labels, taints]);
  }
}

/** Nodes by name, in groups: by the value of a label, or by shape. */
type Groups = Map<string, Map<string, Node>>;

function addTo(groups: Groups, key: string, node: Node): void {
  const group = groups.get(key) ?? new Map<string, Node>();
  groups.set(key, group.set(node.name, node));
}

function removeFrom(groups: Groups | undefined, key: string, name: string): void {
  const group = groups?.get(key);
  group?.delete(name);
  if (group?.size === 0) groups?.delete(key);
}

/** What a cordon comes to (`scheduler/framework/plugins/nodeunschedulable:Filter`). */
const CORDON: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };

/** Whether the node fits what the query asks, looking only at the labels that `counts` lets through. */
function fits(node: Node, query: NodeQuery, counts: (label: string) => boolean = () => true): boolean {
  const weather = query.weather && counts('metadata.name'); // which nodes of one shape do not have in common
  if (node.taints.some((taint) => (weather || !isWeather(taint)) && repels(taint, query.tolerations))) return false;
  if (weather && node.unschedulable && repels(CORDON, query.tolerations)) return false;
  if (ZONE_LABELS.every(counts) && !query.zones.every((zones) => inZone(node, zones))) return false;
  return query.selectors.every((terms) => terms.some((term) => matchesTerm(node, term, counts)));
}

/** Operators that ask whether a label is there and not what it says, which all nodes of a shape have in common. */
const PRESENCE: ReadonlySet<string> = new Set(['Exists', 'DoesNotExist']);

/** `component-helpers/scheduling/corev1/nodeaffinity`: a term without any requirement matches no node. */
function matchesTerm(node: Node, term: NodeSelectorTerm, counts: (label: string) => boolean): boolean {
  if (term.expressions.length + term.fields.length === 0) return false;
  const expressions = term.expressions.filter(({ key, operator }) => counts(key) || PRESENCE.has(operator));
  if (!expressions.every((expression) => matchesRequirement(expression, node.labels.get(expression.key)))) return false;
  return term.fields.every((field) => !counts(field.key) || matchesRequirement(field, node.name));
}

/**
 * `scheduler/framework/plugins/volumezone:Filter`: a node without any zone or region label passes, any other needs
 * every label of the volume. A beta label of the volume also finds its successor on the node.
 */
function inZone({ labels }: Node, zones: ReadonlyMap<string, readonly string[]>): boolean {
  if (!ZONE_LABELS.some((label) => labels.has(label))) return true;
  for (const [label, allowed] of zones) {
    const value = labels.get(label) ?? labels.get(currentLabel(label));
    if (value === undefined || !allowed.includes(value)) return false;
  }
  return true;
}
