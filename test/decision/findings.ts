import type { Finding } from '../../src/rules/evaluate.ts';
import { rules } from '../../src/rules/index.ts';
import { RECREATE } from '../../src/rules/remedy.ts';
import type { RuleMeta } from '../../src/rules/rule.ts';

/** The meta of the rule with this id. */
export function metaOf(id: string): RuleMeta {
  const rule = rules.find(({ meta }) => meta.id === id);
  if (rule === undefined) throw new Error(`there is no rule ${id}`);
  return rule.meta;
}

/** That the next rollout of Deployment shop/web can hang, but for what is named. */
export function findingOf(parts: Partial<Finding> = {}): Finding {
  return {
    rule: metaOf('rollout-deadlock'),
    judges: 'rollout',
    severity: 'error',
    object: { kind: 'Deployment', namespace: 'shop', name: 'web' },
    reason: 'its next rollout can hang for ever',
    detail: 'next rollout can hang (claim data on another node)',
    why: 'the new pod may start on another node',
    cause: 'volume-elsewhere',
    claims: ['data'],
    fix: RECREATE,
    ...parts,
  };
}
