import type { Fact } from '../objects/fact.ts';
import { PREFIX } from '../objects/metadata.ts';

export const MODES = ['enforce', 'warn', 'audit', 'off'] as const;

export type Mode = (typeof MODES)[number];

export const MODE_LABEL = `${PREFIX}mode`;

export interface ModeChosen {
  readonly mode: Mode;
  /** Something to tell the user about the label. */
  readonly problem?: string;
}

/**
 * The namespace's label chooses; without it, or with a value that is none, the configured default holds. Labels that
 * cannot be read mean the default too, but never a denial.
 */
export function modeFrom(labels: Fact<ReadonlyMap<string, string>>, byDefault: Mode): ModeChosen {
  if (!labels.known) return { mode: byDefault === 'enforce' ? 'warn' : byDefault };
  const text = labels.value.get(MODE_LABEL);
  if (text === undefined) return { mode: byDefault };
  const mode = MODES.find((candidate) => candidate === text);
  if (mode !== undefined) return { mode };
  return {
    mode: byDefault,
    problem: `namespace label ${MODE_LABEL}=${text} is none of ${MODES.join(', ')}; ${byDefault} holds`,
  };
}
