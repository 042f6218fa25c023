import { loadKubeConfig } from '../cluster/kube-config.ts';
import { storageMatrix, UNVERIFIED } from '../facts/storage-backend.ts';
import { type Format, formatted, outputsFrom, print, writeOutputs } from '../lint/output.ts';
import { progressOn } from '../lint/progress.ts';
import type { LintSurroundings } from '../lint/read-objects.ts';
import { dayOf, failOnFrom } from '../lint/settings.ts';
import { readLintConfig } from '../lint-config.ts';
import { oneLine } from '../one-line.ts';
import { exitCode } from '../report/exit-code.ts';
import { scanJsonOf } from '../report/json.ts';
import { scanTextOf } from '../report/scan-text.ts';
import { Ignores } from '../rules/configured-ignores.ts';
import { manifestRules } from '../rules/index.ts';
import { scan } from '../scan/scan.ts';
import type { ScannedObjects } from '../scan/scanned-cluster.ts';
import { StoryBudget } from '../stories/story-budget.ts';
import { UsageError } from '../usage-error.ts';
import type { ClusterOptions, Surroundings } from './command.ts';
import { lookOf } from './lint.ts';
import { dumpedObjects, liveObjects } from './scanned-objects.ts';

/** The command line as Commander reads it. */
export interface ScanCommandOptions extends ClusterOptions {
  readonly namespace?: string;
  readonly from?: string;
  readonly asIf?: string;
  readonly exempt?: boolean;
  readonly explain?: boolean;
  readonly teamLabel?: string;
  readonly format?: readonly string[];
  readonly output?: readonly string[];
  readonly failOn?: string;
  readonly config?: string;
  readonly color?: boolean;
}

type ScanSurroundings = LintSurroundings & Pick<Surroundings, 'stopRequested'>;

/** What is printed of a scan: `github` marks lines of files, which a cluster has not. */
const SCAN_FORMATS = ['text', 'json', 'sarif', 'junit'] as const satisfies readonly [Format, ...Format[]];

/** Judges what runs in a cluster, and changes nothing. Rejects with UsageError where it was asked for in a wrong way. */
export async function scanCluster(options: ScanCommandOptions, surroundings: ScanSurroundings): Promise<number> {
  const { stdout, stderr, version, workingDirectory, now } = surroundings;
  const { asIf, exempt = false, explain = false, teamLabel = 'team' } = options;
  if (asIf !== undefined && asIf !== 'enforce') throw new UsageError(`--as-if must be enforce, not ${asIf}`);
  const outputs = outputsFrom(SCAN_FORMATS, options.format, options.output);
  const ids = manifestRules.map(({ meta }) => meta.id);
  const config = options.config === undefined ? {} : await readLintConfig(options.config, workingDirectory, ids);
  const failOn = failOnFrom(options.failOn) ?? config.failOn ?? 'error';
  const startedAt = now();
  const report = scan(await objectsOf(options, surroundings), {
    cluster: { name: nameOf(options), readAt: new Date(startedAt).toISOString().replace(/\.\d+Z$/, 'Z') },
    namespace: options.namespace,
    matrix: storageMatrix((config.storage ?? []).map((row) => ({ ...UNVERIFIED, ...row }))),
    stories: explain ? new StoryBudget() : undefined,
    ignores: new Ignores(config.ignore ?? [], dayOf(startedAt)),
    teamLabel,
  });
  await print(stderr, report.notes.map((note) => `rwo-guard: ${oneLine(note)}\n`).join(''));
  const look = { ...lookOf(options, surroundings), fixes: false };
  const text = { asIfEnforced: asIf === 'enforce', exempt };
  await writeOutputs(outputs, stdout, { failOn, ...look, version, workingDirectory }, (format, printing) => {
    switch (format) {
      case 'text':
        return scanTextOf(report, { ...printing, ...text });
      case 'json':
        return scanJsonOf(report);
      case 'sarif':
      case 'junit':
        return formatted(report, format, printing);
      default:
        return format satisfies never;
    }
  });
  return exitCode(report, failOn);
}

async function objectsOf(
  { from, namespace, kubeconfig, context }: ScanCommandOptions,
  { stderr, now, stopRequested }: ScanSurroundings,
): Promise<ScannedObjects> {
  if (from !== undefined) return dumpedObjects(from);
  const progress = progressOn(stderr, now);
  const choice = { ...(kubeconfig !== undefined && { kubeconfig }), ...(context !== undefined && { context }) };
  try {
    return await liveObjects({ ...choice, namespace, signal: stopRequested(), progress: progress.objects });
  } finally {
    progress.done();
  }
}

function nameOf({ from, kubeconfig, context }: ScanCommandOptions): string {
  return from ?? loadKubeConfig({ kubeconfig, context }).getCurrentContext();
}
