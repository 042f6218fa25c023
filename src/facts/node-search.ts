import type { Budget } from '../budget.ts';
import type { Node } from '../objects/node.ts';
import type { AskedNodes } from '../snapshot/asked-nodes.ts';
import { DomainCount, type Domains, domainIn, NODE } from '../snapshot/domains.ts';
import type { NodeIndex, Shape } from '../snapshot/node-index.ts';
import { NodeQueries } from '../snapshot/node-queries.ts';
import type { NodeQuery } from '../snapshot/node-query.ts';
import { type Landing, LandingQueries } from './landing-queries.ts';

/**
 * Looks for nodes on behalf of one review: counts what that costs, works out once what is asked of a node, and remembers
 * what was found until the nodes change.
 */
export class NodeSearch {
  readonly budget: Budget;
  readonly #index: NodeIndex;
  readonly queries = new LandingQueries();
  #version: number;
  #queries: NodeQueries;
  #found = new Map<string, readonly Node[]>();
  #domains = new Map<string, Domains>();

  constructor(index: NodeIndex, budget: Budget) {
    this.#index = index;
    this.#version = index.version;
    this.budget = budget;
    this.#queries = new NodeQueries(index, budget);
  }

  get size(): number {
    return this.#index.size;
  }

  /** The names of all nodes, however many there are. */
  names(): Iterable<string> {
    return this.#index.names();
  }

  get(name: string): Node | undefined {
    return this.#index.get(name);
  }

  /** What is asked of the index itself, by whoever counts what that costs. */
  get index(): Pick<
    NodeIndex,
    'shapes' | 'isIdentifying' | 'nodesWith' | 'countWith' | 'tellsNodes' | 'allocatableIn'
  > {
    return this.#index;
  }

  /** At most `limit` nodes that fit all of the queries, leaving out what `except` names. */
  find(queries: readonly NodeQuery[], limit: number, except: ReadonlySet<string> = NONE): readonly Node[] {
    const asked = this.#asked(queries);
    if (except.size > 0) return this.#look(asked, limit, except);
    const key = `${limit} of ${idOf(asked)}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const found = this.#look(asked, limit, except);
    this.#found.set(key, found);
    return found;
  }

  /** At most two names of nodes that take these pods but for other pods, as most depends on no third. A nodeName goes past the scheduler. */
  landing(pods: Landing): ReadonlySet<string> {
    const { nodeName } = pods.workload.template;
    return new Set(
      nodeName === undefined ? this.find([this.queries.of(pods, false)], 2).map(({ name }) => name) : [nodeName],
    );
  }

  /** Whether the node is there and fits. */
  fits(name: string, query: NodeQuery): boolean {
    const node = this.#index.get(name);
    return node !== undefined && this.#askedOf(query).fits(node);
  }

  /** Two queries have the same id if they ask for the same. */
  idOf(query: NodeQuery): string {
    return this.#askedOf(query).id;
  }

  /**
   * The domains in which there are nodes that fit all of the queries. Once there are `limit`, no more are looked for, and
   * then those that were found are not counted to the end.
   */
  domains(
    topologies: readonly string[],
    queries: readonly NodeQuery[],
    limit: number = Number.POSITIVE_INFINITY,
  ): Domains {
    const asked = this.#asked(queries);
    const key = JSON.stringify([topologies, limit, idOf(asked)]);
    const known = this.#domains.get(key);
    if (known !== undefined) return known;
    const count = new DomainCount();
    this.#count(count, topologies, asked, limit);
    this.#domains.set(key, count.domains);
    return count.domains;
  }

  #look(asked: readonly AskedNodes[], limit: number, except: ReadonlySet<string>): readonly Node[] {
    const found: Node[] = [];
    if (limit === 0) return found;
    this.#each(asked, (node) => {
      if (!except.has(node.name)) found.push(node);
      return found.length < limit ? 'more' : 'enough';
    });
    return found;
  }

  /** Hands over each node that fits, until enough are taken. */
  #each(asked: readonly AskedNodes[], take: Take): void {
    const named = namedBy(asked);
    if (named === undefined) {
      for (const shape of this.#index.shapes()) if (this.#eachIn(shape, asked, take) === 'enough') return;
      return;
    }
    for (const node of named.values()) {
      if (asked.every((one) => one.fits(node)) && take(node) === 'enough') return;
    }
  }

  #eachIn(shape: Shape, asked: readonly AskedNodes[], take: Take): 'more' | 'enough' {
    if (asked.some((one) => one.isNone(shape))) return 'more';
    for (const node of shape.values()) {
      this.budget.spend();
      if (asked.every((one) => one.fitsIn(shape, node)) && take(node) === 'enough') return 'enough';
    }
    return 'more';
  }

  #count(count: DomainCount, topologies: readonly string[], asked: readonly AskedNodes[], limit: number): void {
    const take: Take = (node) => {
      count.add(domainIn(topologies, node), node.name);
      return count.domains.size < limit ? 'more' : 'enough';
    };
    if (namedBy(asked) !== undefined) {
      this.#each(asked, take);
      return;
    }
    for (const shape of this.#index.shapes()) {
      if (count.domains.size >= limit) return;
      this.budget.spend(OPERATIONS_OF_A_SHAPE);
      if (asked.some((one) => !one.isAll(shape)) || !this.#countAll(count, topologies, shape, limit)) {
        this.#eachIn(shape, asked, take);
      }
    }
  }

  /** Counts all nodes of a shape at once. False where each has to be looked at: they differ, and few are wanted. */
  #countAll(count: DomainCount, topologies: readonly string[], shape: Shape, limit: number): boolean {
    const [first] = shape.values();
    const [only, ...others] = topologies;
    if (first !== undefined && !topologies.some((key) => key === NODE || this.#index.isIdentifying(key))) {
      count.add(domainIn(topologies, first), first.name, shape.size);
      return true;
    }
    if (only === undefined || others.length > 0 || count.domains.size + shape.size > limit) return false;
    const domains = this.#index.domainsIn(shape, only);
    this.budget.spend(domains.size);
    for (const [domain, { size, name }] of domains) count.add(domain, name, size);
    return true;
  }

  #asked(queries: readonly NodeQuery[]): readonly AskedNodes[] {
    return queries.map((query) => this.#askedOf(query));
  }

  #askedOf(query: NodeQuery): AskedNodes {
    if (this.#version !== this.#index.version) this.#forget();
    return this.#queries.of(query);
  }

  /** Forgets whatever was found before the nodes changed. */
  #forget(): void {
    this.#version = this.#index.version;
    this.#queries = new NodeQueries(this.#index, this.budget);
    this.#found = new Map();
    this.#domains = new Map();
  }
}

/** Takes a node, and says whether it wants more of them. */
type Take = (node: Node) => 'more' | 'enough';

/** What it takes to see that all or none of a shape's nodes fit, where that is known already. */
const OPERATIONS_OF_A_SHAPE = 1;

const NONE: ReadonlySet<string> = new Set();

function idOf(asked: readonly AskedNodes[]): string {
  return asked.map(({ id }) => id).join('|');
}

function namedBy(asked: readonly AskedNodes[]): ReadonlyMap<string, Node> | undefined {
  for (const one of asked) {
    const named = one.named();
    if (named !== undefined) return named;
  }
  return undefined;
}
