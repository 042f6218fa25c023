import type { Budget } from '../budget.ts';
import { repels, type Taint, type Toleration } from './toleration.ts';

/** Tolerations of one pod, by the key that they tolerate; each taint is compared with them once. */
export class Tolerated {
  readonly #byKey: ReadonlyMap<string, readonly Toleration[]>;
  readonly #budget: Budget;
  readonly #repels = new Map<string, boolean>();

  constructor(tolerations: readonly Toleration[], budget: Budget) {
    this.#byKey = Map.groupBy(tolerations, ({ key }) => key);
    this.#budget = budget;
  }

  isRepelledBy(taint: Taint): boolean {
    const id = JSON.stringify([taint.key, taint.value, taint.effect]);
    const known = this.#repels.get(id);
    if (known !== undefined) return known;
    const compared = [...(this.#byKey.get('') ?? []), ...(this.#byKey.get(taint.key) ?? [])];
    this.#budget.spend(1 + compared.length);
    const repelled = repels(taint, compared);
    this.#repels.set(id, repelled);
    return repelled;
  }
}
