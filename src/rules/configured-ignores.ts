/** One exception that stands in a configuration, because the object itself is somebody else's. */
export interface Ignore {
  readonly rule: string;
  /** The object's kind, namespace and name: exact, or with a `*` at the end; one that is left out may be anything. */
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly reason: string;
  /** The last day on which it counts, as `2026-12-31`. */
  readonly expires?: string | undefined;
}

/** What an exception is compared with. */
export interface Ignorable {
  readonly rule: { readonly id: string };
  readonly resource: { readonly kind: string; readonly namespace?: string | undefined; readonly name: string };
}

/** Decides of findings whether they are ignored, and remembers which exceptions were of use. */
export class Ignores {
  readonly #counting: readonly Ignore[];
  readonly #expired: readonly Ignore[];
  readonly #used = new Set<Ignore>();

  /** `today` as `2026-12-31`, in UTC. */
  constructor(ignores: readonly Ignore[], today: string) {
    const isOver = ({ expires }: Ignore): boolean => expires !== undefined && expires < today;
    this.#counting = ignores.filter((ignore) => !isOver(ignore));
    this.#expired = ignores.filter(isOver);
  }

  covers(finding: Ignorable): boolean {
    return this.reasonFor(finding) !== undefined;
  }

  /** Why the finding is ignored; `undefined` where it is not. */
  reasonFor(finding: Ignorable): string | undefined {
    return this.exceptionFor(finding)?.reason;
  }

  /** The exception by which the finding is ignored; `undefined` where it is not. */
  exceptionFor(finding: Ignorable): Ignore | undefined {
    const matching = this.#counting.filter((ignore) => matches(ignore, finding));
    for (const ignore of matching) this.#used.add(ignore);
    return matching[0];
  }

  /** What there is to clean up, one line each, once all findings were asked about. */
  stale(): readonly string[] {
    const unused = this.#counting.filter((ignore) => !this.#used.has(ignore));
    return [
      ...this.#expired.map(
        (ignore) => `an ignore of ${inWords(ignore)} expired on ${ignore.expires}, and does not count`,
      ),
      ...unused.map((ignore) => `an ignore of ${inWords(ignore)} matched nothing: take it out`),
    ];
  }
}

function matches({ rule, kind, namespace, name }: Ignore, finding: Ignorable): boolean {
  const { resource } = finding;
  return (
    rule === finding.rule.id &&
    matchesName(kind, resource.kind) &&
    matchesName(namespace, resource.namespace ?? '') &&
    matchesName(name, resource.name)
  );
}

function matchesName(pattern: string | undefined, name: string): boolean {
  if (pattern === undefined) return true;
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function inWords({ rule, kind = '*', namespace = '*', name = '*', reason }: Ignore): string {
  return `${rule} for ${kind} ${namespace}/${name} ("${reason}")`;
}
