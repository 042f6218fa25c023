import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { didYouMean } from './did-you-mean.ts';
import type { StorageBackend } from './facts/storage-backend.ts';
import type { Assumptions } from './lint/assumed-facts.ts';
import schema from './lint-config.schema.json' with { type: 'json' };
import type { AccessMode } from './objects/access-mode.ts';
import { isObject } from './objects/json.ts';
import type { FailOn } from './report/exit-code.ts';
import type { Ignore } from './rules/configured-ignores.ts';
import { schemaProblem } from './schema-problem.ts';

/** What may stand in `.rwo-guard.yaml`. Flags are stronger, and `exclude` adds up with them. */
export interface LintConfig {
  readonly exclude?: readonly string[];
  readonly failOn?: FailOn;
  readonly nodes?: number | string;
  readonly assumeAttach?: Assumptions['attach'];
  readonly assumeAccessMode?: AccessMode;
  readonly storage?: readonly (Pick<StorageBackend, 'provisioner'> & Partial<StorageBackend>)[];
  readonly ignore?: readonly Ignore[];
}

/** The configuration cannot be used. All that is wrong with it is told at once. */
export class LintConfigError extends Error {
  readonly code = 'BAD_CONFIG';

  constructor(file: string, problems: readonly string[]) {
    super(problems.map((problem) => `${file}: ${problem}`).join('\n'));
    this.name = 'LintConfigError';
  }
}

/** The file that is read where no other is named, if it is there. */
export const LINT_CONFIG_FILE = '.rwo-guard.yaml';

/** Rejects with LintConfigError if anything in the file cannot be used, rules that are ignored included. */
export async function readLintConfig(
  named: string | undefined,
  workingDirectory: string,
  ruleIds: readonly string[],
): Promise<LintConfig> {
  const file = named ?? join(workingDirectory, LINT_CONFIG_FILE);
  if (named === undefined && !existsSync(file)) return {};
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new LintConfigError(file, [`it cannot be read: ${error instanceof Error ? error.message : error}`]);
  });
  const document = parseDocument(text);
  if (document.errors.length > 0)
    throw new LintConfigError(
      file,
      document.errors.map(({ message }) => message),
    );
  return checked(document.toJS() ?? {}, file, ruleIds);
}

async function checked(settings: unknown, file: string, ruleIds: readonly string[]): Promise<LintConfig> {
  const { Ajv } = await import('ajv'); // half of the time that one file takes, where there is no configuration
  const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, meta: false, validateSchema: false });
  const isConfig = ajv.compile<LintConfig>(schema);
  const isRead = isConfig(settings);
  const problems = [...(isConfig.errors ?? []).map(schemaProblem), ...unknownRules(settings, ruleIds)];
  if (isRead && problems.length === 0) return settings;
  throw new LintConfigError(file, [...new Set(problems)]);
}

/** Rules that are ignored and do not exist, also where something else is wrong. */
function unknownRules(settings: unknown, ruleIds: readonly string[]): readonly string[] {
  const ignores: unknown = isObject(settings) ? settings.ignore : undefined;
  const named = (Array.isArray(ignores) ? ignores : []).map((ignore: unknown) => isObject(ignore) && ignore.rule);
  return named
    .filter((rule) => typeof rule === 'string' && rule !== '' && !ruleIds.includes(rule))
    .map(
      (rule) =>
        `ignore names rule "${rule}"${didYouMean(String(rule), ruleIds) || ';'} the rules are ${ruleIds.join(', ')}`,
    );
}
