import type { Admission } from '../../src/admission/admission.ts';
import type { ClusterSize } from '../bench/cluster.ts';
import { admissionOver } from './admission.ts';
import { BlocksRun } from './blocks-run.ts';
import { worstCluster } from './cluster.ts';
import { WAYS, type Way, type WorstInput } from './requests.ts';

/** One takes 10 to 20 ns, so that this is what a request may cost. */
export const MOST_BLOCKS = 1_000_000;

/** Every shape of node, and far more of all else than a budget lasts for; it is made in a moment. */
const CLUSTER: ClusterSize = { nodes: 600, claims: 100 };

/** What a request came to. */
export interface Counted {
  readonly way: Way;
  readonly blocks: number;
  /** Milliseconds of processor time while blocks are counted, which is about twice what it takes otherwise. */
  readonly milliseconds: number;
  readonly overBudget: boolean;
}

/** Answers requests about the worst cluster, and counts the blocks of the program that run for each. */
export class CountedAdmission {
  readonly #blocks = new BlocksRun();
  readonly #admission: Admission = admissionOver(worstCluster(CLUSTER));
  readonly #never = new AbortController().signal;

  /** One for each way in which the input may come. */
  async counted({ reviews }: WorstInput): Promise<readonly Counted[]> {
    const counts: Counted[] = [];
    for (const way of WAYS) {
      const review = reviews[way];
      if (review === undefined) continue;
      const body: unknown = JSON.parse(JSON.stringify(review));
      const door = way === 'mutate' ? 'mutate' : 'validate';
      const before = process.cpuUsage();
      let overBudget = false;
      const blocks = await this.#blocks.during(async () => {
        overBudget = (await this.#admission[door](body, this.#never)).observation.overBudget;
      });
      const { user, system } = process.cpuUsage(before);
      counts.push({ way, blocks, milliseconds: (user + system) / 1_000, overBudget });
    }
    return counts;
  }

  stop(): void {
    this.#blocks.stop();
  }
}
