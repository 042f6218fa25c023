import { claimNames, type Workload } from '../facts/workload.ts';
import { Nearest } from './nearest.ts';

/** Where claims are, by what claims and workloads of the input say of their namespaces. */
export class ClaimHomes {
  readonly #namespaces = new Nearest<{ readonly file: string; readonly namespace: string }>();

  /** A claim, or those of a workload; the namespace is empty where a claim names none. */
  add(file: string, namespace: string, claims: readonly string[]): void {
    for (const claim of claims) this.#namespaces.add(claim, { file, namespace });
  }

  /**
   * In which namespace a workload that names none is looked at: the first one that is named near it for one of its claims,
   * unless that claim names none itself, or where kubectl would put it.
   */
  homeOf({ metadata, ...workload }: Workload, file: string): string {
    if (metadata.namespace !== '') return metadata.namespace;
    for (const claim of claimNames({ metadata, ...workload })) {
      const [home, ...others] = this.#namespaces.from(file, claim).map(({ namespace }) => namespace);
      if (home !== undefined && home !== '' && !others.includes('')) return home;
    }
    return 'default';
  }
}
