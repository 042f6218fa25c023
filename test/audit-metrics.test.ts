import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditState } from '../src/audit/audit.ts';
import { createMetrics } from '../src/metrics.ts';
import { rules } from '../src/rules/index.ts';

const STATE: AuditState = {
  leads: true,
  findings: [
    { namespace: 'shop', rule: 'claim-shared', severity: 'warning', count: 2 },
    { namespace: 'bank', rule: 'claim-shared', severity: 'warning', count: 3 },
  ],
  pending: 7,
  lastJudgedAt: 1_800_000_000_000,
  errors: new Map([['events', 4]]),
};

async function linesOf(state: AuditState, namespaces: readonly string[] = []): Promise<readonly string[]> {
  const certificate = () => ({ expires: undefined, caBundleInSync: undefined });
  const metrics = createMetrics({ version: '1', watches: () => [], certificate, namespaces, audit: () => state });
  const { text } = await metrics.exposition('');
  return text.split('\n').filter((line) => line.startsWith('rwo_guard_audit_'));
}

test('the leader tells what is wrong, also of rules that find nothing, and how it is doing', async () => {
  const lines = await linesOf(STATE);
  assert.ok(lines.includes('rwo_guard_audit_findings{rule="claim-shared",severity="warning"} 5'));
  assert.equal(lines.filter((line) => line.startsWith('rwo_guard_audit_findings{')).length, rules.length);
  for (const line of [
    'rwo_guard_audit_leader 1',
    'rwo_guard_audit_pending_objects 7',
    'rwo_guard_audit_last_judged_timestamp_seconds 1800000000',
    'rwo_guard_audit_errors_total{what="events"} 4',
  ]) {
    assert.ok(lines.includes(line), line);
  }
});

test('who does not lead says nothing of findings', async () => {
  const lines = await linesOf({ ...STATE, leads: false, findings: [], pending: 0, lastJudgedAt: undefined });
  assert.ok(lines.includes('rwo_guard_audit_leader 0'));
  assert.deepEqual(
    lines.filter((line) => /findings|last_judged/.test(line)),
    [],
  );
});

test('namespaces are told apart where a setting names them', async () => {
  const lines = (await linesOf(STATE, ['sh*'])).filter((line) => line.includes('namespace_findings'));
  assert.deepEqual(lines, [
    'rwo_guard_audit_namespace_findings{resource_namespace="shop",rule="claim-shared",severity="warning"} 2',
    'rwo_guard_audit_namespace_findings{resource_namespace="_other",rule="claim-shared",severity="warning"} 3',
  ]);
  assert.equal((await linesOf(STATE)).filter((line) => line.includes('namespace_findings')).length, 0);
});
