/**
 * What people read of every fixture that fails or stays open, and in a few situations more, as one text that a person can read from top to bottom. Run by
 * itself, this writes it anew into the file with which the tests compare it: `node test/messages/said.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createAdmission } from '../../src/admission/admit.ts';
import { RecentRequests } from '../../src/cluster/recent-requests.ts';
import type { Mode } from '../../src/decision/mode.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { guards, rules } from '../../src/rules/index.ts';
import { creating, settings, updating } from '../admission/scene.ts';
import { everyFixture, FIXTURES, type Fixture, type FixtureName, fixture } from '../fixtures.ts';
import { answerTo, guardFixture } from '../guard-fixtures.ts';
import { lintIn } from '../lint/linted.ts';
import { SITUATIONS, type Situation } from './situations.ts';

export const SAID = new URL('said.txt', import.meta.url);

/** What people read of one fixture. */
export interface Said extends FixtureName {
  /** By kubectl, where the namespace enforces. */
  readonly enforced: string;
  /** By kubectl, where it warns. */
  readonly warned: string;
  /** By lint, which knows nothing of what was there before. */
  readonly linted: string;
}

export async function everySaid(): Promise<readonly Said[]> {
  const fails = ({ verdict }: FixtureName): boolean => verdict !== 'pass';
  const ofGuards = everyFixture(FIXTURES, guards).filter(fails).map(saidByGuard);
  return Promise.all([...everyFixture().filter(fails).map(said), ...ofGuards]);
}

/** What somebody reads who does that by hand: no manifest tells of it beforehand. */
async function saidByGuard(one: FixtureName): Promise<Said> {
  const given = guardFixture(one.rule, one.verdict, one.name);
  const printed = async (mode: Mode) => {
    const { warnings = [], status } = (await answerTo(given, mode)).review.response;
    const refused = 'Error from server (Forbidden): admission webhook "guard.rwo-guard.dev" denied the request: ';
    return asPrinted(warnings, status?.message, refused);
  };
  return { ...one, enforced: await printed('enforce'), warned: await printed('warn'), linted: '' };
}

async function said(one: FixtureName): Promise<Said> {
  const given = fixture(one.rule, one.verdict, one.name);
  const enforced = await printedByKubectl(given, 'enforce');
  const warned = await printedByKubectl(given, 'warn');
  return { ...one, enforced, warned, linted: given.previous === undefined ? await printedByLint(one.file) : '' };
}

/** kubectl prints warnings first, each on a line of its own, and then what the API server makes of a denial. */
async function printedByKubectl({ state, subject, previous }: Fixture, defaultMode: Mode): Promise<string> {
  const admission = createAdmission({
    snapshot: state,
    matrix: storageMatrix(),
    rules,
    lookUp: async () => [],
    recent: new RecentRequests(() => 0),
    settings: settings({ defaultMode }),
  });
  const request = previous === undefined ? creating(subject) : updating(previous, subject);
  const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  const { warnings = [], status } = (await admission.validate(body, AbortSignal.timeout(5_000))).review.response;
  return asPrinted(warnings, status?.message);
}

function asPrinted(warnings: readonly string[], message: string | undefined, before = REFUSED): string {
  const refused = message === undefined ? '' : `${before}${message}\n`;
  return `${warnings.map((warning) => `Warning: ${warning}\n`).join('')}${refused}`;
}

const REFUSED =
  'Error from server (Forbidden): error when creating "web.yaml": ' +
  'admission webhook "enforce.rwo-guard.dev" denied the request: ';

async function printedByLint(file: string): Promise<string> {
  const stdin = readFileSync(new URL(file, FIXTURES), 'utf8');
  const { stdout, stderr } = await lintIn(FIXTURES.pathname, { paths: ['-'], stdin, format: ['text'] });
  return `${stderr}${stdout}`;
}

/** Fixtures of which the same is said, but for places in their files and the number of objects, stand together. */
export function asText(all: readonly Said[]): string {
  const alike = Map.groupBy(all, (one) => bodyOf(one).replaceAll(/\d+:\d+|<stdin>:\d+|\d+ objects/g, ''));
  return [...alike.values()]
    .map((some) => `${some.map(({ file }) => `${file}\n`).join('')}${some[0] ? bodyOf(some[0]) : ''}`)
    .join('\n');
}

function bodyOf({ rule, enforced, warned, linted }: Said): string {
  const [typed, where] = guards.some(({ meta }) => meta.id === rule)
    ? ['kubectl', 'guards warn']
    : ['kubectl apply', 'the namespace warns'];
  const parts = [
    [typed, enforced],
    [`${typed}, where ${where}`, warned === enforced ? '' : warned],
    ['rwo-guard lint', linted],
  ] as const;
  return parts
    .filter(([, text]) => text !== '')
    .map(([what, text]) => `  ${what}\n${indented(text, 4)}`)
    .join('');
}

/** What kubectl prints in situations that no fixture shows. */
export async function asTextOf(situations: readonly Situation[]): Promise<string> {
  const texts = situations.map(async ({ what, answer }) => {
    const { warnings, message } = await answer();
    return `${what}\n${indented(asPrinted(warnings, message), 4)}`;
  });
  return (await Promise.all(texts)).join('\n');
}

function indented(text: string, spaces: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces));
}

/** All of it, as it stands in the file. */
export async function written(): Promise<string> {
  return `${asText(await everySaid())}\n${await asTextOf(SITUATIONS)}`;
}

if (import.meta.main) writeFileSync(SAID, await written());
