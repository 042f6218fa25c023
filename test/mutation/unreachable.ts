import type { Ignorer } from '@stryker-mutator/api/ignore';

/** As much of Babel's tree as it takes to know `default: return kind satisfies never`. */
interface Path {
  readonly node: {
    readonly type: string;
    readonly test?: unknown;
    readonly consequent?: readonly { readonly argument?: { readonly type: string } | null }[];
  };
}

/** Leaves out the `default` that proves a switch complete: the compiler holds that it is never reached. */
export const unreachable: Ignorer = {
  shouldIgnore({ node: { type, test, consequent } }: Path) {
    const isProof =
      type === 'SwitchCase' && test === null && consequent?.[0]?.argument?.type === 'TSSatisfiesExpression';
    return isProof ? 'the compiler holds that no value gets here' : undefined;
  },
};
