import { type StorageMatrix, storageMatrix, UNVERIFIED } from '../facts/storage-backend.ts';
import { readLintConfig } from '../lint-config.ts';
import { ACCESS_MODES, type AccessMode } from '../objects/access-mode.ts';
import type { FailOn } from '../report/exit-code.ts';
import type { Ignore } from '../rules/configured-ignores.ts';
import { manifestRules } from '../rules/index.ts';
import { UsageError } from '../usage-error.ts';
import type { Assumptions } from './assumed-facts.ts';
import { FORMATS, type Output, outputsFrom } from './output.ts';

/** The command line as Commander reads it. */
export interface LintOptions {
  readonly exclude?: readonly string[];
  /** `false` for `--no-gitignore`. */
  readonly gitignore?: boolean;
  readonly nodes?: string;
  readonly assumeAttach?: string;
  readonly assumeAccessMode?: string;
  readonly format?: readonly string[];
  readonly output?: readonly string[];
  readonly failOn?: string;
  readonly config?: string;
  /** `false` for `--no-color`. */
  readonly color?: boolean;
  readonly fix?: boolean;
  readonly diff?: boolean;
  readonly explain?: boolean;
}

/** What was asked for, by flags, and else by the configuration. */
export interface LintSettings {
  readonly exclude: readonly string[];
  /** Whether what `.gitignore` names is left out. */
  readonly gitignore: boolean;
  readonly assumptions: Assumptions;
  /** Holds the nodes, where they are not just counted. */
  readonly nodesFile: string | undefined;
  /** Whether nodes were spoken of at all. */
  readonly nodesAsked: boolean;
  readonly matrix: StorageMatrix;
  readonly ignore: readonly Ignore[];
  readonly failOn: FailOn;
  readonly outputs: readonly Output[];
}

const FAIL_ON = ['error', 'warning', 'info', 'never'] as const;
const ASSUME_ATTACH = ['yes', 'no', 'unknown'] as const;

/** Rejects with UsageError or LintConfigError where something cannot be used. */
export async function lintSettings(options: LintOptions, workingDirectory: string): Promise<LintSettings> {
  const ids = manifestRules.map(({ meta }) => meta.id);
  const config = await readLintConfig(options.config, workingDirectory, ids);
  const nodes = options.nodes ?? config.nodes;
  const count = Number(nodes);
  const isCount = Number.isInteger(count) && count > 0;
  return {
    exclude: [...(config.exclude ?? []), ...(options.exclude ?? [])],
    gitignore: options.gitignore ?? true,
    assumptions: {
      attach: chosen('--assume-attach', options.assumeAttach, ASSUME_ATTACH) ?? config.assumeAttach ?? 'yes',
      accessMode: modeFrom(options.assumeAccessMode) ?? config.assumeAccessMode,
      nodes: isCount ? count : 'several',
    },
    nodesFile: nodes === undefined || nodes === 'several' || isCount ? undefined : String(nodes),
    nodesAsked: nodes !== undefined,
    matrix: storageMatrix((config.storage ?? []).map((row) => ({ ...UNVERIFIED, ...row }))),
    ignore: config.ignore ?? [],
    failOn: failOnFrom(options.failOn) ?? config.failOn ?? 'error',
    outputs: outputsFor(options),
  };
}

/** What `--diff` prints takes the place of the report on stdout. */
function outputsFor({ format, output, diff }: LintOptions): readonly Output[] {
  const outputs = outputsFrom(FORMATS, format, output);
  const lost = diff ? outputs.find((one) => one.file === undefined && one.format !== 'text') : undefined;
  if (lost === undefined) return outputs;
  throw new UsageError(`--diff prints the change to stdout: give --format ${lost.format} an --output`);
}

/** The short names are those of `kubectl get persistentvolumeclaims`. */
const SHORT_MODES: Readonly<Record<string, AccessMode>> = {
  RWO: 'ReadWriteOnce',
  ROX: 'ReadOnlyMany',
  RWX: 'ReadWriteMany',
  RWOP: 'ReadWriteOncePod',
};

function modeFrom(text: string | undefined): AccessMode | undefined {
  return chosen('--assume-access-mode', text === undefined ? text : (SHORT_MODES[text] ?? text), ACCESS_MODES);
}

/** The least grave severity that fails a run, as a flag names it. */
export function failOnFrom(text: string | undefined): FailOn | undefined {
  return chosen('--fail-on', text, FAIL_ON);
}

function chosen<T extends string>(flag: string, text: string | undefined, values: readonly T[]): T | undefined {
  if (text === undefined) return undefined;
  const value = values.find((candidate) => candidate === text);
  if (value !== undefined) return value;
  throw new UsageError(`${flag} must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}, not ${text}`);
}

/** The day of a moment, as `2026-12-31`, in UTC. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
