import { addressOf } from '../../rules/address.ts';
import { RECREATE, RECREATE_IN_PLACE } from '../../rules/remedy.ts';
import type { RuleMeta, Severity } from '../../rules/rule.ts';
import type { Picture } from '../../stories/picture.ts';
import {
  type Evidence,
  type Location,
  objectName,
  type Report,
  type ReportedFinding,
  type ReportedObject,
  type Standing,
} from '../report.ts';
import type { ScannedCluster, ScannedNamespace, ScanReport, Unseen } from '../scan-report.ts';
import { type Tally, tallies } from './tallies.ts';

/** What the page of a report knows: plain values that are ready to be shown. */
export interface PageData {
  readonly title: string;
  readonly madeBy: string;
  readonly cluster?: ScannedCluster | undefined;
  readonly summary: Report['summary'];
  /** Of all findings, also of those for which the file has no room. */
  readonly counts: Counts;
  readonly tallies: readonly Tally[];
  /** By id, those that something in the report names. */
  readonly rules: Readonly<Record<string, PageRule>>;
  /** What strikes now first, then the gravest. */
  readonly findings: Shown<PageFinding>;
  readonly open: Shown<PageOpen>;
  readonly unreadable: Shown<{ readonly at: string; readonly because: string }>;
  readonly exempt: Shown<PageExemption>;
  readonly mutated: Shown<PageMutation>;
  readonly unseen: Shown<Unseen>;
  readonly namespaces: Shown<ScannedNamespace>;
  readonly notes: Shown<string>;
}

/** Those that have struck are not counted by their severity again; those that were lucky are. */
export interface Counts extends Readonly<Record<Severity, number>> {
  readonly struck: number;
  readonly lucky: number;
}

/** As much of a list as a file has room for, and how many there are. */
export interface Shown<T> {
  readonly shown: readonly T[];
  readonly all: number;
}

export type PageRule = Pick<RuleMeta, 'severity' | 'says' | 'remedy' | 'references'> & {
  readonly page?: string | undefined;
};

/** Object, rule, and where it stands. */
interface About {
  readonly rule: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** As `web.yaml:12:3`. */
  readonly at?: string | undefined;
  readonly template?: string | undefined;
  readonly story?: readonly string[] | undefined;
  /** Each picture once, and the line of the story after which it is so. */
  readonly pictures?: readonly LinePicture[] | undefined;
}

export interface LinePicture {
  readonly after: number;
  readonly picture: Picture;
}

export interface PageFinding extends About {
  readonly severity: Severity;
  readonly claims: readonly string[];
  readonly also: readonly string[];
  readonly message: string;
  readonly assumed: readonly string[];
  readonly fix: string;
  readonly or?: string | undefined;
  /** What does for an object of a live cluster at once what helps first. */
  readonly command?: string | undefined;
  readonly evidence: readonly Evidence[];
  readonly related: Shown<{ readonly at: string; readonly message: string }>;
  readonly now?: Standing | undefined;
  readonly fingerprint: string;
  /** It had a story, for which the file has no room. */
  readonly isCut?: true;
}

export interface PageOpen extends About {
  readonly because: string;
}

export interface PageExemption {
  readonly object: string;
  readonly rules: readonly string[];
  readonly reason: string;
  readonly until?: string | undefined;
}

export interface PageMutation {
  readonly object: string;
  readonly mutation: string;
  readonly isAskedFor?: boolean | undefined;
}

/** Letters of findings in one file. Mail is refused above some 25 MB, and a browser reads this within a second. */
const MOST_LETTERS = 16_000_000;
/** Of lists beside the findings, so that a page can show them whole. */
const MOST_OF_A_LIST = 500;
/** Many workloads on one claim each have all others. */
const MOST_RELATED = 20;

export function pageData(report: Report | ScanReport, version: string): PageData {
  const scan = 'cluster' in report ? report : undefined;
  const findings = report.findings.toSorted((a, b) => gravity(a) - gravity(b));
  const metas = [
    ...findings.flatMap(({ rule, also }) => [rule, ...also]),
    ...report.inconclusive.map(({ rule }) => rule),
  ];
  const exempt: readonly PageExemption[] =
    scan === undefined
      ? report.ignored.map(({ name, reason }) => ({ object: name, rules: [], reason }))
      : scan.exempt.map(({ resource, ...rest }) => ({ object: objectName(resource), ...rest }));
  return {
    title: scan === undefined ? 'Manifests' : scan.cluster.name,
    madeBy: `rwo-guard ${version}`,
    cluster: scan && { ...scan.cluster, claimsByDriver: scan.cluster.claimsByDriver.slice(0, MOST_OF_A_LIST) },
    summary: report.summary,
    counts: countsOf(findings),
    tallies: tallies(findings, scan),
    rules: Object.fromEntries(metas.map((rule) => [rule.id, pageRule(rule)])),
    findings: withRoom(findings.map(pageFinding)),
    open: cut(report.inconclusive.map((open) => ({ ...about(open), because: open.because }))),
    unreadable: cut(report.unreadable.map(({ file, line, because }) => ({ at: `${file}:${line}`, because }))),
    exempt: cut(exempt),
    mutated: cut((scan?.mutated ?? []).map(({ resource, ...rest }) => ({ object: objectName(resource), ...rest }))),
    unseen: cut(scan?.unseen ?? []),
    namespaces: cut((scan?.namespaces ?? []).toSorted((a, b) => b.denied - a.denied || b.warned - a.warned)),
    notes: cut(report.notes),
  };
}

const SEVERITY: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };
const STATE: Readonly<Record<Standing['state'], number>> = { struck: 0, armed: 1, lucky: 2 };

/** Less is graver: what has struck, and then by severity what may strike sooner. */
function gravity({ severity, now }: ReportedFinding): number {
  if (now?.state === 'struck') return 0;
  return 10 * (SEVERITY[severity] + 1) + (now === undefined ? 0 : STATE[now.state]);
}

function countsOf(findings: readonly ReportedFinding[]): Counts {
  const counts = { struck: 0, error: 0, warning: 0, info: 0, lucky: 0 };
  for (const { now, severity } of findings) {
    counts[now?.state === 'struck' ? 'struck' : severity] += 1;
    if (now?.state === 'lucky') counts.lucky += 1;
  }
  return counts;
}

function pageRule({ id, severity, says, remedy, references }: RuleMeta): PageRule {
  return { severity, says, remedy, references, page: addressOf(id) };
}

function pageFinding(finding: ReportedFinding): PageFinding {
  const { severity, claims, also, message, assumed, fix, or, related, evidence = [], now, fingerprint } = finding;
  return {
    ...about(finding),
    ...{ severity, claims, also: also.map(({ id }) => id), message, assumed, fix, or, now, fingerprint },
    command: commandFor(finding),
    evidence,
    related: cut(
      related.map((other) => ({ at: at(other), message: other.message })),
      MOST_RELATED,
    ),
  };
}

/** Where the names are words of a shell by themselves, as those of every object in a cluster are. */
function commandFor({ resource, place, fix }: ReportedFinding): string | undefined {
  const { kind, namespace = '', name } = resource;
  if (place !== undefined || kind !== 'Deployment' || fix !== RECREATE.written) return undefined;
  return [namespace, name].every((word) => NAME.test(word))
    ? `${RECREATE_IN_PLACE} -n ${namespace} deployment/${name}`
    : undefined;
}

/** `apimachinery/pkg/util/validation/validation.go:IsDNS1123Subdomain`. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

interface Told {
  readonly rule: RuleMeta;
  readonly resource: ReportedObject;
  readonly namespaceAssumed?: boolean | undefined;
  readonly place?: Location | undefined;
  readonly story?: readonly string[] | undefined;
  readonly pictures?: readonly Picture[] | undefined;
}

function about({ rule, resource, namespaceAssumed, place, story, pictures }: Told): About {
  const { kind, namespace, name } = resource;
  return {
    ...{ rule: rule.id, kind, namespace: namespaceAssumed ? undefined : namespace, name },
    ...(place && { at: at(place), template: place.template }),
    story,
    pictures: pictures && distinct(pictures),
  };
}

function at({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

/** Lines that change nothing go with the picture before them. */
function distinct(pictures: readonly Picture[]): readonly LinePicture[] {
  const texts = pictures.map((picture) => JSON.stringify(picture));
  return pictures.flatMap((picture, after) => (texts[after] === texts[after + 1] ? [] : [{ after, picture }]));
}

/** The first ones whole, then some without their stories, and of the others only that they are there. */
function withRoom(findings: readonly PageFinding[]): Shown<PageFinding> {
  let left = MOST_LETTERS;
  const shown: PageFinding[] = [];
  for (const finding of findings) {
    const whole = JSON.stringify(finding).length;
    // A quarter is kept for those that come without stories.
    const { story, pictures, ...bare } = finding;
    const hasRoom = whole <= left - MOST_LETTERS / 4;
    const one: PageFinding = hasRoom || story === undefined ? finding : { ...bare, isCut: true };
    const letters = hasRoom ? whole : JSON.stringify(one).length;
    if (letters > left) break;
    left -= letters;
    shown.push(one);
  }
  return { shown, all: findings.length };
}

function cut<T>(list: readonly T[], most = MOST_OF_A_LIST): Shown<T> {
  return { shown: list.slice(0, most), all: list.length };
}
