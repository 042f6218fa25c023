import { createHash } from 'node:crypto';
import { shown } from '../decision/shown.ts';
import { countAt, type JsonObject, objectAt, stringAt } from '../objects/json.ts';
import { isKind } from '../objects/kinds.ts';
import { PREFIX } from '../objects/metadata.ts';
import { fingerprint } from '../report/fingerprint.ts';
import { type ReportedFinding, type ReportedOpen, wholeMessage } from '../report/report.ts';
import { resourceOf } from '../scan/report.ts';
import { eventReason } from './event-reasons.ts';
import type { Reported } from './reported.ts';
import { type AuditedRef, isAuditedKind } from './standing-objects.ts';

/** What an Event tells of a finding. */
export interface Telling {
  readonly fingerprint: string;
  readonly reason: string;
  readonly type: 'Warning' | 'Normal';
  readonly note: string;
}

/** By what our Events are found again among those of others. */
export const EVENT_LABELS = { 'app.kubernetes.io/managed-by': 'rwo-guard' } as const;

const FINDING_LABEL = `${PREFIX}finding`;

/** `pkg/apis/core/validation/events.go:NoteLengthLimit`. */
const MOST_OF_NOTE = 1024;

/** What there is to tell of an object, each finding once. */
export function tellingsOf({ findings, inconclusive }: Reported): ReadonlyMap<string, Telling> {
  const all = [...findings.map(tellingOf), ...inconclusive.map(tellingOfOpen)];
  return new Map(all.map((telling) => [telling.fingerprint, telling]));
}

function tellingOf(finding: ReportedFinding): Telling {
  const { rule, severity, fix, fingerprint: of } = finding;
  const note = shown(`${wholeMessage(finding)}; what helps: ${fix} [${rule.id}]`, MOST_OF_NOTE);
  return { fingerprint: of, reason: eventReason(rule.id), type: severity === 'info' ? 'Normal' : 'Warning', note };
}

/** What stays open is told once, whichever reasons for it come and go. */
function tellingOfOpen({ rule, resource, because }: ReportedOpen): Telling {
  const note = shown(`${rule.reason}: ${because} [${rule.id}]`, MOST_OF_NOTE);
  return {
    fingerprint: fingerprint({ rule, resource, claims: [] }),
    reason: eventReason(rule.id),
    type: 'Normal',
    note,
  };
}

/** Leaves room for a hash (`apimachinery/pkg/util/validation:DNS1123SubdomainMaxLength`). */
const MOST_OF_NAME = 253 - 50;

/** The same for the same beginning or end, so that nobody tells of one twice: the API server refuses the second. */
export function eventName({ name }: AuditedRef, uid: string, finding: string, what: 'begin' | 'end'): string {
  const beginning = name.slice(0, MOST_OF_NAME).replace(/[-.]+$/, '');
  const identity = createHash('sha256').update(`${uid} ${finding}`).digest('hex').slice(0, 32);
  return `${beginning}.${identity}${what === 'end' ? '.end' : ''}`;
}

/** Who writes an Event, and when. */
export interface Writer {
  /** At most 128 characters. */
  readonly instance: string;
  /** As `2026-12-31T23:59:59.123456Z`. */
  readonly at: string;
}

/** An Event of `events.k8s.io/v1`, as it is created. */
export function eventOf(
  ref: AuditedRef,
  uid: string,
  { fingerprint: finding, ...telling }: Telling,
  name: string,
  { instance, at }: Writer,
): object {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { namespace: ref.namespace, name, labels: { ...EVENT_LABELS, [FINDING_LABEL]: finding } },
    ...telling,
    action: 'Audit',
    eventTime: at,
    regarding: { ...resourceOf(ref), uid },
    reportingController: `${PREFIX}audit`,
    reportingInstance: instance,
  };
}

/** What makes an Event that is there one of a series: the finding has begun, or ended, once more. */
export function seriesOf(count: number, { at }: Writer): object {
  return { series: { count, lastObservedTime: at } };
}

/** What an Event of ours says. */
export interface EventRecord {
  readonly ref: AuditedRef;
  readonly uid: string;
  readonly fingerprint: string;
  readonly reason: string;
  readonly count: number;
  readonly at: string;
}

/** `undefined` for one that says something else. */
export function recordOf(event: JsonObject): EventRecord | undefined {
  const regarding = objectAt(event, 'regarding');
  const kind = stringAt(regarding, 'kind');
  const labels = objectAt(objectAt(event, 'metadata'), 'labels');
  const finding = stringAt(labels, FINDING_LABEL);
  if (!isKind(kind) || !isAuditedKind(kind) || finding === undefined) return undefined;
  const series = objectAt(event, 'series');
  return {
    ref: { kind, namespace: stringAt(regarding, 'namespace') ?? '', name: stringAt(regarding, 'name') ?? '' },
    uid: stringAt(regarding, 'uid') ?? '',
    fingerprint: finding,
    reason: stringAt(event, 'reason') ?? '',
    count: countAt(series, 'count') ?? 1,
    at: stringAt(series, 'lastObservedTime') ?? stringAt(event, 'eventTime') ?? '',
  };
}
