import type { Claim } from '../facts/claim.ts';
import { isObject, objectAt, objectsAt, stringAt } from '../objects/json.ts';
import { distinct, fingerprint } from '../report/fingerprint.ts';
import {
  type Location,
  type Report,
  type ReportedFinding,
  type ReportedObject,
  type ReportedOpen,
  wholeMessage,
} from '../report/report.ts';
import { claimUnknown } from '../rules/claim-unknown.ts';
import type { Ignores } from '../rules/configured-ignores.ts';
import type { Finding } from '../rules/evaluate.ts';
import { byCause } from '../rules/one-cause.ts';
import { RECREATE } from '../rules/remedy.ts';
import type { Severity } from '../rules/rule.ts';
import type { Manifest, Unreadable } from '../yaml/read-manifests.ts';
import { writesRecreate } from './fix.ts';
import { STDIN_NAME } from './input.ts';
import type { InputObjects } from './input-objects.ts';
import type { LintFinding, LintJudgement } from './judge.ts';
import type { RelatedObject } from './related.ts';

export interface Reportable {
  readonly objects: InputObjects;
  readonly judged: LintJudgement;
  readonly unreadable: readonly Unreadable[];
  readonly notes: readonly string[];
  readonly ignores: Ignores;
}

/** What was found as every format prints it: in the order of the input, and of one object the gravest first. */
export function reportOf({ objects, judged, unreadable, notes, ignores }: Reportable): Report {
  const counting: LintFinding[] = [];
  const inconclusive: ReportedOpen[] = [];
  const exempt: { readonly name: string; readonly reason: string }[] = [];
  for (const found of judged.findings) {
    const { judges, detail } = found.finding;
    const about = aboutObject(found);
    const reason = ignores.reasonFor(about);
    if (reason !== undefined) exempt.push({ name: about.resource.name, reason });
    else if (judges === 'open') inconclusive.push({ ...about, because: asOfInput(detail), ...told(found) });
    else counting.push(found);
  }
  const findings = [...Map.groupBy(counting, ({ manifest }) => manifest).values()].flatMap(reportedOf);
  const count = (wanted: Severity): number => findings.filter(({ severity }) => severity === wanted).length;
  for (const { manifest, because } of objects.unfinished) {
    const about = aboutUnfinished(manifest);
    const reason = ignores.reasonFor(about);
    if (reason !== undefined) exempt.push({ name: about.resource.name, reason });
    else inconclusive.push({ ...about, because });
  }
  return {
    findings: distinct(findings),
    inconclusive,
    unreadable: [...unreadable, ...objects.unreadable],
    ignored: [...judged.exemptions.map(({ name, reason }) => ({ name, reason })), ...exempt],
    notes: [...notes, ...judged.notes, ...ignores.stale()],
    summary: {
      objects: objects.objects,
      workloads: objects.workloadCount,
      error: count('error'),
      warning: count('warning'),
      info: count('info'),
      ignored: judged.ignored + exempt.length,
      inconclusive: inconclusive.length,
    },
  };
}

/** Facts speak of a cluster. Here nobody knows what exists. */
function asOfInput(because: string): string {
  return because.replaceAll(/ does not exist(?: yet)?(?=$|[;,])/g, ' is not in the input');
}

type AboutObject = Pick<ReportedFinding, 'rule' | 'resource' | 'namespaceAssumed'> & { readonly place: Location };

function aboutObject(found: LintFinding): AboutObject {
  const namespaceAssumed = namespaceOf(found) === undefined;
  return { rule: found.finding.rule, resource: resourceOf(found), namespaceAssumed, place: placeOf(found) };
}

function aboutUnfinished(manifest: Manifest): AboutObject {
  return { rule: claimUnknown.meta, ...objectOf(manifest) };
}

/** An object as its manifest names it, of which nothing is known to be what its API says. */
export function objectOf(manifest: Manifest): Omit<AboutObject, 'rule'> & { readonly namespaceAssumed: boolean } {
  const { apiVersion, kind, metadata } = manifest.object;
  const { namespace, name } = isObject(metadata) ? metadata : {};
  const isNamed = typeof namespace === 'string' && namespace !== '';
  return {
    resource: {
      apiVersion: String(apiVersion),
      kind: String(kind),
      namespace: isNamed ? namespace : 'default',
      name: typeof name === 'string' ? name : '',
    },
    namespaceAssumed: !isNamed,
    place: placeIn({ manifest, path: '' }),
  };
}

/** The findings of one object, those of one cause as one. */
function reportedOf(found: readonly LintFinding[]): readonly ReportedFinding[] {
  const led = byCause(found.map(({ finding }) => finding));
  return found.flatMap((one) => {
    const also = led.get(one.finding);
    if (also === undefined) return [];
    const { facts, finding } = one;
    const writable = finding.fix === RECREATE && facts !== undefined && writesRecreate(facts, [...led.keys()]);
    return [{ ...reported(one, also), writable: writable && one.manifest.file !== STDIN_NAME }];
  });
}

function reported(found: LintFinding, led: readonly Finding[]): ReportedFinding {
  const { severity, claims, reason, why, fix, or } = found.finding;
  const about = aboutObject(found);
  return {
    ...about,
    severity,
    also: led.map(({ rule }) => rule),
    claims,
    message: `${reason}: ${why}`,
    assumed: found.assumed,
    fix: fix.written,
    or,
    related: found.related.map((object) => ({ ...placeIn(object), message: object.message })),
    ...told(found),
    fingerprint: fingerprint({ ...about, claims }),
  };
}

function told({ story }: LintFinding): Pick<ReportedFinding, 'story' | 'pictures'> {
  return { story: story?.lines, pictures: story?.pictures };
}

/** What is wrong with the object, or why that stayed open, in a few words. */
export function shortMessageOf({ finding: { judges, detail }, assumed }: LintFinding): string {
  if (judges === 'open') return asOfInput(detail);
  return wholeMessage({ message: detail, assumed });
}

/** The object of a finding, as its manifest names it. */
export function resourceOf(found: LintFinding): ReportedObject {
  const { apiVersion, kind } = found.manifest.object;
  const namespace = namespaceOf(found) ?? 'default';
  return { apiVersion: String(apiVersion), kind: String(kind), namespace, name: found.finding.object.name };
}

/** The namespace as the manifest names it. */
export function namespaceOf({ manifest }: LintFinding): string | undefined {
  return stringAt(objectAt(manifest.object, 'metadata'), 'namespace') || undefined;
}

/** The field to change: a Deployment's strategy, a claim's modes, or the volume that is at fault. */
function placeOf(found: LintFinding): Location {
  const { manifest, finding } = found;
  switch (finding.judges) {
    case 'rollout':
      return placeIn({ manifest, path: manifest.positions('spec.strategy') === undefined ? 'spec' : 'spec.strategy' });
    case 'claim':
      return placeIn({ manifest, path: 'spec.accessModes' });
    case 'steady':
    case 'guard': // judges no manifests
    case 'open':
      return placeIn({ manifest, path: volumePath(found) });
    default:
      return finding.judges satisfies never;
  }
}

function volumePath({ manifest, finding, facts }: LintFinding): string {
  const isOpen = ({ accessModes, attachable, onePod }: Claim): boolean =>
    [accessModes, attachable, onePod].some((fact) => !fact.known && fact.because === finding.detail);
  const names = new Set([...finding.claims, ...(facts?.claims ?? []).filter(isOpen).map(({ name }) => name)]);
  const spec = objectAt(manifest.object, 'spec');
  const isCronJob = manifest.object.kind === 'CronJob';
  const pods = isCronJob ? objectAt(objectAt(spec, 'jobTemplate'), 'spec') : spec;
  const volumes = objectsAt(objectAt(objectAt(pods, 'template'), 'spec'), 'volumes');
  const index = volumes.findIndex((volume) => {
    const claim = stringAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName') ?? stringAt(volume, 'name');
    return claim !== undefined && names.has(claim);
  });
  if (index === -1) return 'spec';
  return `${isCronJob ? 'spec.jobTemplate.spec' : 'spec'}.template.spec.volumes.${index}`;
}

function placeIn({ manifest, path }: Pick<RelatedObject, 'manifest' | 'path'>): Location {
  const { file, line, template } = manifest;
  return { file, ...(manifest.positions(path) ?? manifest.positions('') ?? { line, column: 1 }), template };
}
