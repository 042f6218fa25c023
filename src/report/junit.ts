/*
 * JUnit XML, as Jenkins, GitLab and Azure read test reports. It knows no warnings. Users complain of linters that make
 * every warning a failure (derailed/popeye#77) and of those that drop them (stoplightio/spectral#935). So what
 * `--fail-on` fails is a failure, what it lets pass is output of a test that passed, and report and exit code agree.
 * GitLab shows the text of a failure without its message (golangci/golangci-lint#2452), so the text says all.
 */
import { type FailOn, fails } from './exit-code.ts';
import {
  objectName,
  type Report,
  type ReportedFinding,
  type ReportedOpen,
  type ReportedUnreadable,
  wholeMessage,
} from './report.ts';

type TestOutcome = 'passed' | 'skipped' | 'failure' | 'error';

const GRAVITY: Readonly<Record<TestOutcome, number>> = { passed: 0, skipped: 1, failure: 2, error: 3 };

/** One thing that is said of a test; of one object there may be several. */
interface Remark {
  readonly file: string;
  readonly test: string;
  readonly outcome: TestOutcome;
  /** A severity, or why there is none. */
  readonly type: string;
  readonly message: string;
  /** The message with all that surrounds it. */
  readonly text: string;
}

interface TestCase {
  readonly file: string;
  readonly outcome: TestOutcome;
  readonly xml: string;
}

/** A suite for each file, and in it a test for each object of which something is said; `failOn` as for the exit code. */
export function junitOf(report: Report, failOn: FailOn): string {
  const tests = Map.groupBy(remarksIn(report, failOn), ({ file, test }) => JSON.stringify([file, test]));
  const cases = [...tests.values()].map(testCase);
  const suites = [...Map.groupBy(cases, ({ file }) => file)].map(([name, inside]) =>
    element(
      'testsuite',
      { name, ...counts(inside) },
      inside.map(({ xml }) => xml),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name: 'rwo-guard', ...counts(cases) }, suites)}`;
}

function remarksIn(report: Report, failOn: FailOn): readonly Remark[] {
  const remarks = [
    ...report.unreadable.map(ofUnreadable),
    ...report.findings.map((finding) => {
      const { severity, fix } = finding;
      const said = `${wholeMessage(finding)}; to fix it: ${fix}`;
      return ofObject(finding, severity, said, fails(severity, failOn) ? 'failure' : 'passed');
    }),
    ...report.inconclusive.map((open) =>
      ofObject(open, 'inconclusive', open.because, fails(open.rule.severity, failOn) ? 'failure' : 'skipped'),
    ),
  ];
  // Jenkins fails a build whose report holds no test.
  return remarks.length > 0 ? remarks : [ofNothing(report)];
}

function ofObject(
  { rule, resource, place, story = [] }: ReportedFinding | ReportedOpen,
  type: string,
  said: string,
  outcome: TestOutcome,
): Remark {
  const message = `${rule.id}: ${said}`;
  const at = place === undefined ? '' : `${place.file}:${place.line}:${place.column}: `;
  return {
    file: place?.file ?? 'cluster',
    test: objectName(resource),
    outcome,
    type,
    message,
    text: [`${at}${type}: ${message}`, ...story].join('\n'),
  };
}

function ofUnreadable({ file, line, because }: ReportedUnreadable): Remark {
  const text = `${file}:${line}: ${because}`;
  return { file, test: `line ${line}`, outcome: 'error', type: 'unreadable', message: because, text };
}

function ofNothing({ summary }: Report): Remark {
  const message = `nothing found in ${summary.objects} objects`;
  return { file: 'rwo-guard', test: 'all objects', outcome: 'passed', type: 'none', message, text: message };
}

function testCase(remarks: readonly Remark[]): TestCase {
  const gravest = remarks.reduce((a, b) => (GRAVITY[b.outcome] > GRAVITY[a.outcome] ? b : a));
  const { file, test, outcome } = gravest;
  const content = contentOf(gravest, remarks.map(({ text }) => text).join('\n'));
  return { file, outcome, xml: element('testcase', { name: test, classname: file, file }, content) };
}

function contentOf({ outcome, type, message }: Remark, text: string): readonly string[] {
  switch (outcome) {
    case 'error':
    case 'failure':
      return [element(outcome, { type, message }, text)];
    case 'skipped':
      return [element('skipped', { message }, ''), element('system-out', {}, text)];
    case 'passed':
      return [element('system-out', {}, text)];
    default:
      return outcome satisfies never;
  }
}

function counts(cases: readonly TestCase[]): Readonly<Record<string, number>> {
  const count = (wanted: TestOutcome) => cases.filter(({ outcome }) => outcome === wanted).length;
  return { tests: cases.length, failures: count('failure'), errors: count('error'), skipped: count('skipped') };
}

/** What is inside an element: other elements, or a text. */
type Content = readonly string[] | string;

/** An XML element with its line end. Without any content it closes itself. */
function element(name: string, attributes: Readonly<Record<string, string | number>>, content: Content): string {
  const start = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escaped(String(value))}"`)].join(
    ' ',
  );
  if (content.length === 0) return `<${start}/>\n`;
  return `<${start}>${typeof content === 'string' ? escaped(content) : `\n${content.join('')}`}</${name}>\n`;
}

/** Everything but what XML 1.0 calls a character (https://www.w3.org/TR/xml/#charsets); it cannot be escaped either. */
const NO_CHARACTER = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** Holds in texts and attributes; line ends are written as numbers because a parser makes spaces of them in attributes. */
function escaped(text: string): string {
  return text
    .replaceAll(NO_CHARACTER, '\u{FFFD}')
    .replaceAll(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
