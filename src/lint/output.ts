import { writeFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import type { FailOn } from '../report/exit-code.ts';
import { githubOf } from '../report/github.ts';
import { jsonOf } from '../report/json.ts';
import { junitOf } from '../report/junit.ts';
import type { Report } from '../report/report.ts';
import { sarifOf } from '../report/sarif.ts';
import { type TextOptions, textOf } from '../report/text.ts';
import { manifestRules } from '../rules/index.ts';
import { UsageError } from '../usage-error.ts';
import { reportPage } from './report-page.ts';

/** In which lint prints, the default first. */
export const FORMATS = ['text', 'json', 'sarif', 'junit', 'github', 'html'] as const;

export type Format = (typeof FORMATS)[number];

/** One way in which the report is printed: into a file, or to stdout. */
export interface Output<T extends string = Format> {
  readonly format: T;
  readonly file: string | undefined;
}

/** Pairs formats and files in the order in which they were given, the first of the known ones where none is named; a format without a file is for stdout. */
export function outputsFrom<T extends string>(
  known: readonly [T, ...T[]],
  formats: readonly string[] = [],
  files: readonly string[] = [],
): readonly Output<T>[] {
  const named = formats.length === 0 ? [known[0]] : formats.map((name) => formatFrom(name, known));
  if (files.length > named.length) throw new UsageError('there are more --output than --format: give each its format');
  const again = files.find((file, index) => files.indexOf(file) < index);
  if (again !== undefined) throw new UsageError(`--output ${again} is given twice: give each format a file of its own`);
  const outputs = named.map((format, index) => ({ format, file: files[index] }));
  if (outputs.filter(({ file }) => file === undefined).length <= 1) return outputs;
  throw new UsageError('only one format can go to stdout: give the others an --output each, and name those first');
}

function formatFrom<T extends string>(name: string, known: readonly T[]): T {
  const format = known.find((candidate) => candidate === name);
  if (format !== undefined) return format;
  throw new UsageError(`--format must be one of ${known.join(', ')}, not ${name}`);
}

/** What formats depend on beside the report. */
export interface Printing extends TextOptions {
  readonly failOn: FailOn;
  /** The version of rwo-guard. */
  readonly version: string;
  readonly workingDirectory: string;
}

/** Writes the report in each of its formats. Rejects with UsageError where a file cannot be written. */
export async function writeReport(
  report: Report,
  outputs: readonly Output[],
  stdout: Writable,
  printing: Printing,
): Promise<void> {
  await writeOutputs(outputs, stdout, printing, (format, look) => formatted(report, format, look));
}

/** Writes each of the outputs as `print` gives it. Rejects with UsageError where a file cannot be written. */
export async function writeOutputs<T extends string>(
  outputs: readonly Output<T>[],
  stdout: Writable,
  printing: Printing,
  printed: (format: T, look: Printing) => string | Promise<string>,
): Promise<void> {
  for (const { format, file } of outputs) {
    if (file === undefined) await print(stdout, await printed(format, printing));
    else {
      const text = await printed(format, { ...printing, ...PLAIN });
      await writeFile(file, text).catch((cause: unknown) => {
        throw new UsageError(`--output ${file} cannot be written: name a file in a folder that is there`, { cause });
      });
    }
  }
}

/** A file is no terminal. */
const PLAIN = { colour: false, marks: false, width: 80 } as const;

/** The report in one format. */
export async function formatted(report: Report, format: Format, printing: Printing): Promise<string> {
  switch (format) {
    case 'text':
      return textOf(report, printing);
    case 'json':
      return jsonOf(report);
    case 'sarif':
      return sarifOf(report, { ...printing, rules: manifestRules.map(({ meta }) => meta) });
    case 'junit':
      return junitOf(report, printing.failOn);
    case 'github':
      return githubOf(report);
    case 'html': {
      const { htmlOf } = await import('../report/html/html.ts');
      return htmlOf(report, { ...printing, page: await reportPage() });
    }
    default:
      return format satisfies never;
  }
}

/** Resolves once all is written, or nobody reads any more, as in `rwo-guard lint . | head`. */
export function print(stdout: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      if ('code' in error && error.code === 'EPIPE') resolve();
      else reject(error);
    };
    stdout.once('error', failed);
    stdout.write(text, (error) => {
      if (error) return; // told by the event
      stdout.off('error', failed);
      resolve();
    });
  });
}
