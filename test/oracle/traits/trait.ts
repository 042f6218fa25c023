import type { Draft } from '../draft.ts';
import type { Action, Kind, Plan } from '../plan.ts';

/** One dimension of a scenario, with its forms by name. */
export interface Trait {
  readonly variants: Readonly<Record<string, (draft: Draft) => void>>;
  /** Kinds and actions for which it means something; all of them by default. */
  readonly kinds?: readonly Kind[];
  readonly actions?: readonly Action[];
  /** Nodes without which it says nothing. */
  readonly leastNodes?: number;
  /** Storages on which it says nothing. */
  readonly exceptStorage?: RegExp;
  /** Another trait without which it says nothing. */
  readonly needs?: string;
}

export function fits(
  { kinds, actions, leastNodes = 1, exceptStorage }: Trait,
  plan: Pick<Plan, 'kind' | 'action' | 'nodes' | 'storage'>,
): boolean {
  if (exceptStorage?.test(plan.storage)) return false;
  if (kinds !== undefined && !kinds.includes(plan.kind)) return false;
  if (actions !== undefined && !actions.includes(plan.action)) return false;
  return plan.nodes >= leastNodes;
}
