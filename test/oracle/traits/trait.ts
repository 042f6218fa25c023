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
}

export function fits(
  { kinds, actions, leastNodes = 1 }: Trait,
  plan: Pick<Plan, 'kind' | 'action' | 'nodes'>,
): boolean {
  if (kinds !== undefined && !kinds.includes(plan.kind)) return false;
  if (actions !== undefined && !actions.includes(plan.action)) return false;
  return plan.nodes >= leastNodes;
}
