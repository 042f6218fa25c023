import { claimNames, type Workload } from '../objects/workload.ts';
import { Nearest } from './nearest.ts';

interface NamedIn {
  readonly file: string;
  readonly namespace: string;
}

/** The namespaces of claims, by what claims and workloads of the input say of them. */
export class ClaimNamespaces {
  readonly #namespaces = new Nearest<NamedIn>();
  /** What is said of a claim near many files is the same for each of them. */
  readonly #agreed = new Map<readonly NamedIn[], string>();

  /** A claim, or those of a workload; the namespace is empty where a claim names none. */
  add(file: string, namespace: string, claims: readonly string[]): void {
    for (const claim of claims) this.#namespaces.add(claim, { file, namespace });
  }

  /**
   * The namespace in which a workload that names none is looked at: the first one that is named near it for one of its
   * claims, unless that claim names none itself, or where kubectl would put it. Ask once all is added.
   */
  namespaceOf({ metadata, ...workload }: Workload, file: string): string {
    if (metadata.namespace !== '') return metadata.namespace;
    for (const claim of claimNames({ metadata, ...workload })) {
      const namespace = this.#agreedIn(this.#namespaces.from(file, claim));
      if (namespace !== '') return namespace;
    }
    return 'default';
  }

  /** Empty where nothing is said, or one of them names none. */
  #agreedIn(named: readonly NamedIn[]): string {
    const found =
      this.#agreed.get(named) ?? (named.some(({ namespace }) => namespace === '') ? '' : (named[0]?.namespace ?? ''));
    this.#agreed.set(named, found);
    return found;
  }
}
