import type { WorkloadFacts } from '../facts/workload-facts.ts';
import { isKind, KINDS } from '../objects/kinds.ts';
import { keyOf } from '../objects/object-key.ts';
import { distinct, fingerprint } from '../report/fingerprint.ts';
import type { Evidence, ReportedFinding, ReportedObject, ReportedOpen } from '../report/report.ts';
import type { Finding, FoundObject } from '../rules/evaluate.ts';
import { byCause } from '../rules/one-cause.ts';
import { SEVERITIES } from '../rules/rule.ts';
import type { StandingFinding } from './judge-standing.ts';

/** What was found in one object, as every format prints it. */
export interface ReportedStanding {
  readonly findings: readonly ReportedFinding[];
  readonly open: readonly ReportedOpen[];
}

/** The findings of one object, those of one cause as one. */
export function reportedStanding(found: readonly StandingFinding[]): ReportedStanding {
  const counting = found.filter(({ finding }) => finding.judges !== 'open');
  const led = byCause(counting.map(({ finding }) => finding));
  const findings = counting.flatMap((one) => {
    const also = led.get(one.finding);
    return also === undefined ? [] : [reported(one, also)];
  });
  const open = found
    .filter(({ finding }) => finding.judges === 'open')
    .map(({ finding: { rule, object, detail }, story }) => ({
      ...{ rule, resource: resourceOf(object), because: detail, story: story?.lines, pictures: story?.pictures },
    }));
  return { findings: distinct(findings), open };
}

function reported({ finding, facts, now, story }: StandingFinding, led: readonly Finding[]): ReportedFinding {
  const { rule, object, severity, claims, reason, why, fix, or } = finding;
  const resource = resourceOf(object);
  return {
    ...{ rule, resource, severity, claims, or, now },
    also: led.map((one) => one.rule),
    message: `${reason}: ${why}`,
    assumed: [],
    fix: fix.written,
    related: [],
    evidence: facts === undefined ? [] : evidenceOf(finding, facts),
    story: story?.lines,
    pictures: story?.pictures,
    fingerprint: fingerprint({ rule, resource, claims }),
  };
}

/** An object of the cluster as a report names it. */
export function resourceOf({ kind, namespace, name }: FoundObject): ReportedObject {
  return { apiVersion: isKind(kind) ? KINDS[kind].apiVersion : '', kind, namespace, name };
}

/** How many claims, and how many other users, are named. */
const MOST_NAMED = 4;

function evidenceOf({ claims: names, users = [] }: Finding, { claims, workload }: WorkloadFacts): readonly Evidence[] {
  const { controller } = workload.metadata;
  const about = claims.filter(({ name }) => names.includes(name));
  const used = users.map(({ kind, namespace, name }) =>
    namespace === workload.metadata.namespace ? `${kind} ${name}` : `${kind} ${keyOf(namespace, name)}`,
  );
  return [
    ...about.slice(0, MOST_NAMED).map(({ name, accessModes, storage }) => {
      const parts = [
        name,
        ...(accessModes.known ? accessModes.value : []),
        ...(storage === undefined ? [] : [storage]),
      ];
      return { label: 'claim', text: parts.join(', ') } as const;
    }),
    ...used.slice(0, MOST_NAMED).map((text) => ({ label: 'used by', text }) as const),
    ...(controller === undefined ? [] : [{ label: 'made by', text: `${controller.kind} ${controller.name}` } as const]),
  ];
}

const STATES = ['struck', 'armed', 'lucky'] as const;

/** What has come about first, then the gravest, and among equals by namespace, kind and name. */
export function worstFirst(findings: readonly ReportedFinding[]): readonly ReportedFinding[] {
  const rank = ({ now, severity }: ReportedFinding): number =>
    (now?.state === 'struck' ? 0 : SEVERITIES.length) + SEVERITIES.indexOf(severity);
  const within = ({ now }: ReportedFinding): number => STATES.indexOf(now?.state ?? 'armed');
  return findings.toSorted(
    (one, other) =>
      rank(one) - rank(other) || within(one) - within(other) || compareNames(one.resource, other.resource),
  );
}

/** By namespace, kind and name, the same on every machine. */
export function compareNames(one: ReportedObject, other: ReportedObject): number {
  return (
    compared(one.namespace ?? '', other.namespace ?? '') ||
    compared(one.kind, other.kind) ||
    compared(one.name, other.name)
  );
}

function compared(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
