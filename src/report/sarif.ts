/*
 * SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html), for what GitHub makes of it:
 * https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support
 *
 * - It refuses a whole file that has no `results`, or a result without a location in a file.
 * - It shows related locations only where the message links to them, and logical locations never. So the message names
 *   both.
 * - It makes an alert of every result, whatever its kind (microsoft/PSRule#955). For what stayed open that is wanted:
 *   silence would read as "safe". Kind "open" has level "none" by the standard (section 3.27.10), which fails no check.
 * - It uses one fingerprint, `primaryLocationLineHash`, which its upload action makes of the text of the line, warning
 *   of any other value under that name. So ours, for other readers, has a name of its own.
 */

import { addressOf } from '../rules/address.ts';
import type { RuleMeta, Severity } from '../rules/rule.ts';
import { printedJson } from './printed-json.ts';
import {
  filePath,
  type Location,
  objectName,
  type Report,
  type ReportedFinding,
  type ReportedOpen,
  wholeMessage,
} from './report.ts';

export interface SarifOptions {
  /** The version of rwo-guard. */
  readonly version: string;
  /** Every rule that judged, also those that found nothing. */
  readonly rules: readonly RuleMeta[];
  /** Absolute. Files below it are named from there, which should be the root of the repository. */
  readonly workingDirectory: string;
}

const LEVELS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

/** A SARIF log of one run, as JSON with a line end. */
export function sarifOf(report: Report, options: SarifOptions): string {
  const run = {
    tool: { driver: { name: 'rwo-guard', version: options.version, rules: options.rules.map(reportingDescriptor) } },
    columnKind: 'utf16CodeUnits',
    invocations: [invocation(report, options)],
    results: [
      ...report.findings.map((finding) => findingResult(finding, options)),
      ...report.inconclusive.map((open) => openResult(open, options)),
    ],
  };
  return printedJson({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] });
}

function invocation({ unreadable, notes }: Report, { workingDirectory }: SarifOptions) {
  return {
    executionSuccessful: unreadable.length === 0,
    toolExecutionNotifications: [
      ...unreadable.map((part) => ({
        level: 'error',
        message: { text: escaped(part.because) },
        locations: [physicalLocation(part, workingDirectory)],
      })),
      ...notes.map((note) => ({ level: 'note', message: { text: escaped(note) } })),
    ],
  };
}

/** The result for a finding. GitHub shows only the first sentence of its text where there is little room. */
function findingResult(finding: ReportedFinding, options: SarifOptions) {
  const { resource, severity, fix, related, fingerprint } = finding;
  const links = related.map(({ message: text }, index) => `[${escaped(text)}](${index + 1})`);
  const text = sentences(
    escaped(`${objectName(resource)}: ${wholeMessage(finding)}`),
    escaped(`To fix it: ${fix}`),
    links.length > 0 ? `See ${links.join(', ')}` : '',
    renderedFrom(finding),
  );
  return {
    ...ruleAndLocation(finding, options),
    level: LEVELS[severity],
    message: { text },
    relatedLocations: related.map((other, index) => ({
      id: index + 1,
      ...physicalLocation(other, options.workingDirectory),
      message: { text: escaped(other.message) },
    })),
    ...codeFlows(finding, options),
    partialFingerprints: { 'rwoGuard/v1': fingerprint },
  };
}

function openResult(open: ReportedOpen, options: SarifOptions) {
  const text = sentences(escaped(`${objectName(open.resource)}: ${open.because}`), renderedFrom(open));
  return {
    ...ruleAndLocation(open, options),
    kind: 'open',
    level: 'none',
    message: { text },
    ...codeFlows(open, options),
  };
}

function ruleAndLocation(about: ReportedFinding | ReportedOpen, { rules, workingDirectory }: SarifOptions) {
  const { rule, place } = about;
  return {
    ruleId: rule.id,
    ruleIndex: rules.findIndex(({ id }) => id === rule.id),
    locations: [{ ...(place && physicalLocation(place, workingDirectory)), logicalLocations: logicalLocations(about) }],
  };
}

function reportingDescriptor({ id, says, reason, remedy, severity, references }: RuleMeta) {
  const links = references.map((url) => `- <${url}>`).join('\n');
  return {
    id,
    name: id.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: sentences(capitalized(reason)) },
    fullDescription: { text: sentences(capitalized(says)) },
    help: {
      text: [remedy, ...references].join('\n'),
      markdown: `${sentences(capitalized(says))}\n\n**What to do.** ${remedy}\n\n${links}\n`,
    },
    helpUri: addressOf(id) ?? references[0],
    defaultConfiguration: { level: LEVELS[severity] },
  };
}

/** The story as the way to the finding, line by line at the object that it is about. GitHub shows it as its path. */
function codeFlows({ story, place }: ReportedFinding | ReportedOpen, { workingDirectory }: SarifOptions) {
  if (story === undefined || story.length === 0) return {};
  const where = place && physicalLocation(place, workingDirectory);
  const locations = story.map((line) => ({ location: { ...where, message: { text: escaped(line) } } }));
  return { codeFlows: [{ threadFlows: [{ locations }] }] };
}

function renderedFrom({ place }: ReportedFinding | ReportedOpen): string {
  return place?.template === undefined ? '' : `Rendered from ${escaped(place.template)}`;
}

function logicalLocations({ resource, place }: ReportedFinding | ReportedOpen) {
  const object = { name: resource.name, fullyQualifiedName: objectName(resource), kind: 'resource' };
  return place?.template === undefined ? [object] : [object, { name: place.template, kind: 'template' }];
}

function physicalLocation({ file, line, column }: Pick<Location, 'file' | 'line'> & Partial<Location>, from: string) {
  const region = { startLine: line, startColumn: column };
  return { physicalLocation: { artifactLocation: { uri: uriOf(file, from) }, region } };
}

/** Relative for what lies below `from`, as it stands for other relative paths, and a `file:` URI for the rest. */
function uriOf(file: string, from: string): string {
  const root = `${filePath(from)}/`;
  const path = filePath(file);
  const encoded = (path.startsWith(root) ? path.slice(root.length) : path).split('/').map(encodeURIComponent).join('/');
  return encoded.startsWith('/') ? `file://${encoded}` : encoded;
}

/** Escapes brackets, which would make a link in a message. */
function escaped(text: string): string {
  return text.replaceAll(/[\\[\]]/g, '\\$&');
}

function sentences(...texts: readonly string[]): string {
  return texts
    .filter((text) => text !== '')
    .map((text) => (/[.!?]$/.test(text) ? text : `${text}.`))
    .join(' ');
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
