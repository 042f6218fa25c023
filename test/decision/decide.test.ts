import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Decision, decide, type Judged, type Policy } from '../../src/decision/decide.ts';
import { MODE_LABEL, MODES, type Mode, modeFrom } from '../../src/decision/mode.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import type { Finding } from '../../src/rules/evaluate.ts';
import type { Severity } from '../../src/rules/rule.ts';
import { deepFrozen } from '../deep-frozen.ts';
import { findingOf } from './findings.ts';

const POLICY: Policy = { dryRun: 'warn', existing: 'warn', exemptions: 'allow', overBudget: 'warn' };

function finding(severity: Severity, id = `rule-${severity}`): Finding {
  const meta = {
    id,
    subject: 'Deployment',
    severity,
    says: 'something is wrong',
    reason: 'it is wrong',
    brief: `brief of ${id}`,
    remedy: `Do as ${id} says.`,
    references: [],
  };
  return findingOf({ rule: meta, severity, detail: 'it is wrong' });
}

const ERROR = finding('error');
const WARNING = finding('warning');
const INFO = finding('info');

function judged(more: Partial<Judged>): Judged {
  return deepFrozen({ found: [], existing: [], exemptions: [], notes: [], deniable: true, ...more });
}

interface Circumstances {
  readonly policy?: Partial<Policy>;
  readonly dryRun?: boolean;
}

function decided(mode: Mode, of: Partial<Judged>, { policy = {}, dryRun = false }: Circumstances = {}): Decision {
  return decide(judged(of), { mode }, { ...POLICY, ...policy }, dryRun);
}

/** What becomes of a finding: denied, in a warning, in a warning that says it would be denied, or noted only. */
type Fate = 'denied' | 'warned' | 'would be denied' | 'noted' | 'nothing';

/** The same, as it is counted. */
const OUTCOMES: Readonly<Record<Fate, string>> = {
  denied: 'denied',
  warned: 'warned',
  'would be denied': 'would-be-denied',
  noted: 'audited',
  nothing: '',
};

function fateOf(decision: Decision): Fate {
  const { verdict, warnings, annotations } = decision;
  if (verdict === 'deny') {
    assert.deepEqual(warnings, [], 'a denial is not repeated in a warning');
    return 'denied';
  }
  const [warning] = warnings;
  if (warning?.startsWith('would be denied: ')) return 'would be denied';
  if (warning !== undefined) return 'warned';
  return annotations.findings === undefined ? 'nothing' : 'noted';
}

type Seen = 'found' | 'existing';

/** Mode, severity, new or there before, circumstances, whether anyone reads a denial, and what becomes of it. */
const table: readonly [Mode, Finding, Seen, Circumstances, boolean, Fate][] = [
  ['enforce', ERROR, 'found', {}, true, 'denied'],
  ['enforce', WARNING, 'found', {}, true, 'warned'],
  ['enforce', INFO, 'found', {}, true, 'warned'],
  ['enforce', ERROR, 'existing', {}, true, 'warned'],
  ['enforce', ERROR, 'existing', { policy: { existing: 'deny' } }, true, 'denied'],
  ['enforce', WARNING, 'existing', { policy: { existing: 'deny' } }, true, 'warned'],
  ['enforce', ERROR, 'found', { dryRun: true }, true, 'would be denied'],
  ['enforce', ERROR, 'existing', { dryRun: true }, true, 'warned'],
  ['enforce', ERROR, 'existing', { dryRun: true, policy: { existing: 'deny' } }, true, 'would be denied'],
  ['enforce', ERROR, 'found', { dryRun: true, policy: { dryRun: 'same' } }, true, 'denied'],
  ['enforce', ERROR, 'found', {}, false, 'warned'],
  ['enforce', ERROR, 'existing', { policy: { existing: 'deny' } }, false, 'warned'],
  ['enforce', ERROR, 'found', { dryRun: true }, false, 'warned'],
  ['warn', ERROR, 'found', {}, true, 'warned'],
  ['warn', WARNING, 'found', {}, true, 'warned'],
  ['warn', INFO, 'found', {}, true, 'warned'],
  ['warn', ERROR, 'existing', { policy: { existing: 'deny' } }, true, 'warned'],
  ['warn', ERROR, 'found', { dryRun: true, policy: { dryRun: 'same' } }, true, 'warned'],
  ['audit', ERROR, 'found', {}, true, 'noted'],
  ['audit', INFO, 'found', {}, true, 'noted'],
  ['audit', ERROR, 'existing', {}, true, 'noted'],
  ['off', ERROR, 'found', {}, true, 'nothing'],
  ['off', INFO, 'existing', {}, true, 'nothing'],
];

for (const [mode, item, seen, circumstances, deniable, fate] of table) {
  const when = JSON.stringify(circumstances);
  const who = deniable ? '' : ' that nobody would read';
  test(`in mode ${mode} a ${seen} ${item.severity}${who} is ${fate} with ${when}`, () => {
    const decision = decided(mode, { [seen]: [item], deniable }, circumstances);
    assert.equal(fateOf(decision), fate);
    const told = { rule: item.rule.id, severity: item.severity, outcome: OUTCOMES[fate] };
    assert.deepEqual(decision.findings, fate === 'nothing' ? [] : [told]);
  });
}

test('without findings a request is allowed in every mode, and only the mode is noted', () => {
  for (const mode of MODES) {
    const nothing = { verdict: 'allow', mode, findings: [], warnings: [], annotations: { mode } };
    assert.deepEqual(decided(mode, {}), nothing);
  }
});

test('of several errors all are in the denial, and what is less grave is in the warnings', () => {
  const other = finding('error', 'rule-other');
  const decision = decided('enforce', { found: [INFO, ERROR, WARNING, other] });
  assert.equal(decision.verdict, 'deny');
  const headlines = decision.verdict === 'deny' && decision.message.filter((line) => line.startsWith('Deployment'));
  assert.deepEqual(
    headlines,
    ['rule-error', 'rule-other'].map((id) => `Deployment shop/web: ${findingOf().reason} [${id}]`),
  );
  assert.deepEqual(
    decision.warnings.map((line) => /\[(.*)\]$/.exec(line)?.[1]),
    ['rule-warning', 'rule-info'],
  );
});

test('the gravest warning comes first, new or not, and notes come last', () => {
  const { warnings } = decided('warn', { found: [INFO, WARNING], existing: [ERROR], notes: ['by the way'] });
  assert.deepEqual(
    warnings.map((line) => /\[(.*)\]$/.exec(line)?.[1] ?? line),
    ['rule-error', 'rule-warning', 'rule-info', 'by the way'],
  );
});

test('notes are read in enforce and warn alone', () => {
  const notes = ['an annotation does not count'];
  for (const mode of MODES) {
    const expected = mode === 'enforce' || mode === 'warn' ? notes : [];
    assert.deepEqual(decided(mode, { notes }).warnings, expected);
  }
});

test('every finding is noted, the gravest first', () => {
  const { annotations } = decided('enforce', { found: [WARNING], existing: [ERROR] });
  assert.deepEqual(annotations, {
    mode: 'enforce',
    findings: 'rule-error: it is wrong; rule-warning: it is wrong',
  });
});

test('a dry run that passes what would be denied says at the end how to have it fail', () => {
  const { warnings } = decided('enforce', { found: [ERROR], notes: ['by the way'] }, { dryRun: true });
  assert.match(warnings.at(-1) ?? '', /^this dry run passes, .*rwo-guard lint, or set dryRun: same$/);
  assert.doesNotMatch(decided('warn', { found: [ERROR] }, { dryRun: true }).warnings.join(), /dry run/);
});

test('an exempt finding is simply not there, so a denial takes something new', () => {
  assert.equal(decided('enforce', { found: [], existing: [ERROR] }).verdict, 'allow');
});

function labelled(value: string) {
  return known(new Map([[MODE_LABEL, value]]));
}

test('the namespace’s label chooses the mode, and without it the default holds', () => {
  for (const mode of MODES) {
    assert.deepEqual(modeFrom(labelled(mode), 'warn'), { mode });
    assert.deepEqual(modeFrom(known(new Map()), mode), { mode });
  }
});

for (const byDefault of MODES) {
  test(`a label that is no mode is answered with a warning, and the default ${byDefault} holds`, () => {
    const chosen = modeFrom(labelled('enforced'), byDefault);
    assert.equal(chosen.mode, byDefault);
    const { warnings } = decide(judged({}), chosen, POLICY, false);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /rwo-guard\.dev\/mode=enforced is none of enforce, warn, audit, off/);
  });

  test(`labels that cannot be read never deny, with ${byDefault} as the default`, () => {
    const chosen = modeFrom(unknown('namespaces are not listed yet'), byDefault);
    assert.equal(chosen.mode, byDefault === 'enforce' ? 'warn' : byDefault);
    assert.equal(decide(judged({ found: [ERROR] }), chosen, POLICY, false).verdict, 'allow');
  });
}

test('a label that is no mode still lets enforce deny by default', () => {
  const decision = decide(judged({ found: [ERROR] }), modeFrom(labelled('x'), 'enforce'), POLICY, false);
  assert.equal(decision.verdict, 'deny');
  assert.equal(decision.warnings.length, 1);
});
