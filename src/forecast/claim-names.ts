import type { HeldClaim, PodClass } from './cluster.ts';

/** The names of claims, by what they do to pods. Ends are many, and tell the same names. */
export class ClaimNames {
  readonly #on = new Map<readonly HeldClaim[], Map<number, readonly string[]>>();
  readonly #all = new Map<readonly HeldClaim[], readonly string[]>();
  readonly #pinning = new Map<readonly HeldClaim[], readonly string[]>();
  readonly #deleting = new Map<readonly HeldClaim[], readonly string[]>();

  /** By which claims pods of the class hold a volume. */
  on(volume: number, { claims }: PodClass): readonly string[] {
    const byVolume = this.#on.get(claims) ?? new Map<number, readonly string[]>();
    this.#on.set(claims, byVolume);
    const known =
      byVolume.get(volume) ?? claims.filter((held) => held.volume === volume).map(({ claim }) => claim.name);
    byVolume.set(volume, known);
    return known;
  }

  all({ claims }: PodClass): readonly string[] {
    return namesOf(claims, () => true, this.#all);
  }

  /** Those whose volumes cannot be used on every node. */
  pinning({ claims }: PodClass): readonly string[] {
    return namesOf(claims, isPinning, this.#pinning);
  }

  /** Those that are being deleted. */
  deleting({ claims }: PodClass): readonly string[] {
    return namesOf(claims, ({ claim }) => claim.deleting === true, this.#deleting);
  }
}

function namesOf(
  claims: readonly HeldClaim[],
  isMeant: (held: HeldClaim) => boolean,
  known: Map<readonly HeldClaim[], readonly string[]>,
): readonly string[] {
  const names = known.get(claims) ?? claims.filter(isMeant).map(({ claim }) => claim.name);
  known.set(claims, names);
  return names;
}

function isPinning({ claim: { nodeAffinity, zones, onceBound } }: HeldClaim): boolean {
  return nodeAffinity !== undefined || zones.size > 0 || onceBound !== undefined;
}
