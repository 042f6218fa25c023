import type { HeldClaim, PodClass } from './cluster.ts';

/** The names of claims, by what they do to pods. Ends are many, and tell the same names. */
export class ClaimNames {
  readonly #on = new Map<readonly HeldClaim[], Map<number, readonly string[]>>();
  readonly #pinning = new Map<readonly HeldClaim[], readonly string[]>();

  /** By which claims pods of the class hold a volume. */
  on(volume: number, { claims }: PodClass): readonly string[] {
    const byVolume = this.#on.get(claims) ?? new Map<number, readonly string[]>();
    this.#on.set(claims, byVolume);
    const known =
      byVolume.get(volume) ?? claims.filter((held) => held.volume === volume).map(({ claim }) => claim.name);
    byVolume.set(volume, known);
    return known;
  }

  /** Those whose volumes cannot be used on every node. */
  pinning({ claims }: PodClass): readonly string[] {
    const known = this.#pinning.get(claims) ?? claims.filter(isPinning).map(({ claim }) => claim.name);
    this.#pinning.set(claims, known);
    return known;
  }
}

function isPinning({ claim: { nodeAffinity, zones, onceBound } }: HeldClaim): boolean {
  return nodeAffinity !== undefined || zones.size > 0 || onceBound !== undefined;
}
