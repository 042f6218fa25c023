import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_REASONS } from '../../src/audit/event-reasons.ts';
import { eventName, eventOf, recordOf, tellingsOf } from '../../src/audit/events.ts';
import { ToldEvents } from '../../src/audit/told-events.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { manifestRules } from '../../src/rules/index.ts';
import { findingOf, openOf } from '../report/reports.ts';

const WEB = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;
const WRITER = { instance: 'one', at: '2026-12-31T23:59:59.123000Z' };

test('every rule of manifests has a reason of its own, and there is none without a rule', () => {
  assert.deepEqual(Object.keys(EVENT_REASONS).sort(), manifestRules.map(({ meta }) => meta.id).sort());
  const reasons = Object.values(EVENT_REASONS);
  assert.equal(new Set(reasons).size, reasons.length);
  for (const reason of reasons) assert.match(reason, /^([A-Z][a-z]+)+$/);
});

test('an Event says what is wrong, what helps and by which rule', () => {
  const [telling] = tellingsOf({ findings: [findingOf({})], inconclusive: [] }).values();
  assert.deepEqual(telling, {
    fingerprint: '5f1d',
    reason: 'RolloutDeadlockRisk',
    type: 'Warning',
    note: 'its next rollout can hang for ever; what helps: spec.strategy: {type: Recreate} [rollout-deadlock]',
  });
});

test('what stays open is told once, and as nothing wrong', () => {
  const inconclusive = ['claim a does not exist', 'claim b does not exist'].map((because) => openOf({ because }));
  const tellings = [...tellingsOf({ findings: [], inconclusive }).values()];
  assert.deepEqual(
    tellings.map(({ reason, type }) => [reason, type]),
    [['ClaimUnknown', 'Normal']],
  );
});

test('an Event keeps within what the API server takes, whatever names there are', () => {
  const long = findingOf({ message: 'ä'.repeat(2_000), resource: { ...WEB, apiVersion: 'apps/v1' } });
  const [telling] = tellingsOf({ findings: [long], inconclusive: [] }).values();
  assert.ok(telling !== undefined && Buffer.byteLength(telling.note) <= 1_024);
  for (const name of ['x'.repeat(253), `${'x'.repeat(200)}...${'y'.repeat(50)}`]) {
    const named = eventName({ ...WEB, name }, 'u-1', 'f'.repeat(34), 'end');
    assert.ok(named.length <= 253);
    assert.match(named, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
  }
});

test('what an Event says can be read back', () => {
  const [telling] = tellingsOf({ findings: [findingOf({})], inconclusive: [] }).values();
  assert.ok(telling !== undefined);
  const event: JsonObject = JSON.parse(JSON.stringify(eventOf(WEB, 'u-1', telling, 'web.5f1d', WRITER)));
  const record = { ref: WEB, uid: 'u-1', fingerprint: '5f1d', reason: 'RolloutDeadlockRisk', count: 1, at: WRITER.at };
  assert.deepEqual(recordOf(event), record);
  const series = { count: 3, lastObservedTime: '2027-01-01T00:00:00.000000Z' };
  assert.deepEqual(recordOf({ ...event, series }), { ...record, count: 3, at: series.lastObservedTime });
  assert.equal(recordOf({ ...event, regarding: { kind: 'Pod' } }), undefined);
});

test('of what was told in any order the last word counts', () => {
  const told = new ToldEvents();
  const word = (reason: string, at: string, count = 1) => ({
    ref: WEB,
    uid: 'u-1',
    fingerprint: '5f1d',
    reason,
    count,
    at,
  });
  told.read([word('ClaimSharedResolved', '3'), word('ClaimShared', '2', 2)]);
  assert.deepEqual(told.missing(WEB, 'u-1', new Map()), []);
  told.read([word('ClaimShared', '4', 3)]);
  assert.deepEqual(
    told.missing(WEB, 'u-1', new Map()).map(({ what, reason, count }) => [what, reason, count]),
    [['end', 'ClaimSharedResolved', 2]],
  );
});
