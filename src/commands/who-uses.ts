import { KubeConnection } from '../cluster/connection.ts';
import { loadKubeConfig } from '../cluster/kube-config.ts';
import { print } from '../lint/output.ts';
import { readClaimUse, type Sight } from '../operate/read-claim-use.ts';
import { whoUsesJson } from '../recovery/who-uses-json.ts';
import { whoUsesText } from '../recovery/who-uses-text.ts';
import { printedJson } from '../report/printed-json.ts';
import { claimFromArgument, type NamespacedOptions, textFormat } from './claim-argument.ts';
import type { Surroundings } from './command.ts';

export interface WhoUsesOptions extends NamespacedOptions {
  readonly format?: string;
}

export type LookSurroundings = Pick<Surroundings, 'stdout' | 'stderr' | 'stopRequested'> & {
  readonly now: () => number;
};

/** Prints who uses a claim, and where. 0 where there is such a claim, 1 where there is none or it cannot be read. */
export async function whoUses(claim: string, options: WhoUsesOptions, surroundings: LookSurroundings): Promise<number> {
  const ref = claimFromArgument(claim, options);
  const format = textFormat(options.format);
  return looking(options, surroundings, async (sight) => {
    const use = await readClaimUse(sight, ref);
    await print(surroundings.stdout, format === 'json' ? printedJson(whoUsesJson(use)) : whoUsesText(use));
    return use.claim.known && use.claim.value !== undefined ? 0 : 1;
  });
}

/** Gives a connection to the cluster that was chosen, and closes it. */
export async function looking<T>(
  { kubeconfig, context }: NamespacedOptions,
  { now, stopRequested }: Pick<LookSurroundings, 'now' | 'stopRequested'>,
  look: (sight: Sight & { readonly connection: KubeConnection }) => Promise<T>,
): Promise<T> {
  const connection = new KubeConnection({ load: () => loadKubeConfig({ kubeconfig, context }) });
  try {
    return await look({ connection, now, signal: stopRequested() });
  } finally {
    await connection.close();
  }
}
