import { setImmediate } from 'node:timers/promises';
import { loadKubeConfig } from '../cluster/kube-config.ts';
import { storageMatrix, UNVERIFIED } from '../facts/storage-backend.ts';
import { type Format, formatted, outputsFrom, print, writeOutputs } from '../lint/output.ts';
import { progressOn } from '../lint/progress.ts';
import type { LintSurroundings } from '../lint/read-objects.ts';
import { dayOf, failOnFrom } from '../lint/settings.ts';
import { readLintConfig } from '../lint-config.ts';
import { isWorkloadKind } from '../objects/kinds.ts';
import { oneLine } from '../one-line.ts';
import { exitCode } from '../report/exit-code.ts';
import { scanJsonOf } from '../report/json.ts';
import { openReportsOf } from '../report/openreports.ts';
import { printedJson } from '../report/printed-json.ts';
import type { ReportedObject } from '../report/report.ts';
import type { ScanReport } from '../report/scan-report.ts';
import { scanTextOf, unseenLines } from '../report/scan-text.ts';
import { Ignores } from '../rules/configured-ignores.ts';
import { manifestRules } from '../rules/index.ts';
import { scan } from '../scan/scan.ts';
import type { ScannedObjects } from '../scan/scanned-cluster.ts';
import { StoryBudget } from '../stories/story-budget.ts';
import { UsageError } from '../usage-error.ts';
import type { ClusterOptions, Surroundings } from './command.ts';
import { dumpedObjects } from './dumped-objects.ts';
import { lookOf } from './lint.ts';
import { liveObjects } from './scanned-objects.ts';

/** The command line as Commander reads it. */
export interface ScanCommandOptions extends ClusterOptions {
  readonly namespace?: string;
  readonly from?: string;
  readonly asIf?: string;
  readonly exempt?: boolean;
  readonly explain?: boolean;
  readonly teamLabel?: string;
  readonly report?: string;
  readonly format?: readonly string[];
  readonly output?: readonly string[];
  readonly failOn?: string;
  readonly config?: string;
  readonly color?: boolean;
}

type ScanSurroundings = LintSurroundings & Pick<Surroundings, 'stopRequested'>;

/** What is printed of a scan: `github` marks lines of files, which a cluster has not. */
const SCAN_FORMATS = ['text', 'json', 'sarif', 'junit', 'html'] as const satisfies readonly [Format, ...Format[]];

/** What a shell makes of a program that SIGINT has ended. */
const STOPPED = 130;

/**
 * Judges what runs in a cluster, and changes nothing. Rejects with UsageError where it was asked for in a wrong way. Asked to
 * stop, it prints nothing.
 */
export async function scanCluster(options: ScanCommandOptions, surroundings: ScanSurroundings): Promise<number> {
  const { stdout, stderr, version, workingDirectory, now } = surroundings;
  const { asIf, exempt = false, explain = false, teamLabel = 'team', namespace, report } = options;
  if (asIf !== undefined && asIf !== 'enforce') throw new UsageError(`--as-if must be enforce, not ${asIf}`);
  if (report !== undefined && report !== 'openreports')
    throw new UsageError(`--report must be openreports, not ${report}`);
  const outputs = outputsFrom(SCAN_FORMATS, options.format, options.output);
  const ids = manifestRules.map(({ meta }) => meta.id);
  const config = options.config === undefined ? {} : await readLintConfig(options.config, workingDirectory, ids);
  const failOn = failOnFrom(options.failOn) ?? config.failOn ?? 'error';
  const today = dayOf(now());
  const read = await objectsOf(options, surroundings);
  if (read === undefined) return STOPPED;
  const { objects, name, readAt, stop } = read;
  refuseMissing(namespace, objects);
  const scanned = scan(objects, {
    cluster: { name, readAt: new Date(readAt).toISOString().replace(/\.\d+Z$/, 'Z') },
    ...{ today, namespace, teamLabel },
    matrix: storageMatrix((config.storage ?? []).map((row) => ({ ...UNVERIFIED, ...row }))),
    stories: explain || outputs.some(({ format }) => format === 'html') ? new StoryBudget() : undefined,
    ignores: new Ignores(config.ignore ?? [], today),
  });
  await setImmediate(); // a signal that came meanwhile is told of now
  if (stop?.aborted) return STOPPED;
  const isToldOfUnseen =
    report === undefined && outputs.some(({ format }) => ['text', 'json', 'html'].includes(format));
  const notes = [...scanned.notes, ...(isToldOfUnseen ? [] : unseenLines(scanned))];
  await print(stderr, notes.map((note) => `rwo-guard: ${oneLine(note)}\n`).join(''));
  if (report === 'openreports') {
    await print(stdout, openReportsText(scanned, objects, readAt));
    return exitCode(scanned, failOn);
  }
  const look = { ...lookOf(options, surroundings), fixes: false };
  const text = { asIfEnforced: asIf === 'enforce', exempt };
  await writeOutputs(outputs, stdout, { failOn, ...look, version, workingDirectory }, (format, printing) => {
    switch (format) {
      case 'text':
        return scanTextOf(scanned, { ...printing, ...text });
      case 'json':
        return scanJsonOf(scanned);
      case 'sarif':
      case 'junit':
      case 'html':
        return formatted(scanned, format, printing);
      default:
        return format satisfies never;
    }
  });
  return exitCode(scanned, failOn);
}

/** Reports as OpenReports has them, in one list that kubectl takes. */
function openReportsText(scanned: ScanReport, { state }: ScannedObjects, foundAt: number): string {
  const uidOf = ({ kind, namespace = '', name }: ReportedObject): string | undefined => {
    const found = isWorkloadKind(kind) ? state.get(kind, namespace, name) : undefined;
    return (found?.known && found.value?.uid) || undefined;
  };
  const items = openReportsOf(scanned, { uidOf, foundAt: Math.floor(foundAt / 1000) });
  return printedJson({ apiVersion: 'v1', kind: 'List', items });
}

interface Read {
  readonly objects: ScannedObjects;
  /** What people call the cluster. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly readAt: number;
  /** Absent where signals end the process by themselves. */
  readonly stop?: AbortSignal;
}

/** Nothing where somebody asked to stop. */
async function objectsOf(
  { from, namespace, kubeconfig, context }: ScanCommandOptions,
  { stderr, now, stopRequested }: ScanSurroundings,
): Promise<Read | undefined> {
  if (from !== undefined) {
    if (kubeconfig !== undefined || context !== undefined)
      throw new UsageError('--from reads no cluster: leave out --kubeconfig and --context');
    const { writtenAt, ...objects } = await dumpedObjects(from);
    return { objects, name: from, readAt: writtenAt };
  }
  const choice = { ...(kubeconfig !== undefined && { kubeconfig }), ...(context !== undefined && { context }) };
  const name = loadKubeConfig(choice).getCurrentContext();
  const progress = progressOn(stderr, now);
  const stop = stopRequested();
  const readAt = now();
  try {
    const objects = await liveObjects({ ...choice, namespace, signal: stop, progress: progress.objects });
    return { objects, name, readAt, stop };
  } catch (error) {
    if (stop.aborted) return undefined;
    throw error;
  } finally {
    progress.done();
  }
}

/** A name that is mistyped must not look like a namespace without findings. */
function refuseMissing(namespace: string | undefined, { state }: ScannedObjects): void {
  if (namespace === undefined) return;
  const found = state.get('Namespace', '', namespace);
  if (found.known && found.value === undefined) throw new UsageError(`there is no namespace ${namespace}`);
}
