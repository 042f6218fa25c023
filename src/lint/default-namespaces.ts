import { claimNames, type Workload } from '../objects/workload.ts';
import { Nearest } from './nearest.ts';

interface Home {
  readonly file: string;
  readonly namespace: string;
}

/** The namespaces of claims, by what claims and workloads of the input say of them. */
export class ClaimHomes {
  readonly #namespaces = new Nearest<Home>();
  /** What is said of a claim near many files is the same for each of them. */
  readonly #agreed = new Map<readonly Home[], string>();

  /** A claim, or those of a workload; the namespace is empty where a claim names none. */
  add(file: string, namespace: string, claims: readonly string[]): void {
    for (const claim of claims) this.#namespaces.add(claim, { file, namespace });
  }

  /**
   * The namespace in which a workload that names none is looked at: the first one that is named near it for one of its
   * claims, unless that claim names none itself, or where kubectl would put it. Ask once all is added.
   */
  homeOf({ metadata, ...workload }: Workload, file: string): string {
    if (metadata.namespace !== '') return metadata.namespace;
    for (const claim of claimNames({ metadata, ...workload })) {
      const home = this.#agreedIn(this.#namespaces.from(file, claim));
      if (home !== '') return home;
    }
    return 'default';
  }

  /** Empty where nothing is said, or one of them names none. */
  #agreedIn(homes: readonly Home[]): string {
    const found =
      this.#agreed.get(homes) ?? (homes.some(({ namespace }) => namespace === '') ? '' : (homes[0]?.namespace ?? ''));
    this.#agreed.set(homes, found);
    return found;
  }
}
