import { accessModeFacts } from '../facts/access-mode-facts.ts';
import { ClusterState } from '../facts/cluster-state.ts';
import { known, unknown } from '../facts/fact.ts';
import { gatherFacts, gathering } from '../facts/gather.ts';
import { type JsonObject, UnreadableObjectError } from '../facts/json.ts';
import { isOwnedByWorkload, type Metadata } from '../facts/metadata.ts';
import { claimFrom } from '../facts/persistent-volume-claim.ts';
import { storageMatrix } from '../facts/storage-backend.ts';
import { mountsVolumes } from '../facts/workload.ts';
import { workloadFrom } from '../facts/workload-from.ts';
import { forecast } from '../forecast/outcome.ts';
import { putObject, workloadKindOf } from '../offline/file-snapshot.ts';
import type { Manifest, Manifests, Unreadable } from '../offline/read-manifests.ts';
import { fingerprint } from '../report/fingerprint.ts';
import type { Place, Report, ReportedFinding, ReportedObject, ReportedOpen } from '../report/report.ts';
import { bySeverity, evaluateClaim, evaluateWorkload, type Finding } from '../rules/evaluate.ts';
import { rules } from '../rules/index.ts';

/** Judges every workload and every claim of the input as if it were created now. */
export function judgeInput({ manifests, unreadable: unparsed }: Manifests): Report {
  const state = new ClusterState((list) =>
    list === 'nodes' && !hasNodes ? unknown('there are no nodes') : known(true),
  );
  let hasNodes = false;
  const unreadable: Unreadable[] = [...unparsed];
  const readable: Manifest[] = [];
  for (const manifest of manifests) {
    try {
      if (putObject(state, manifest.object) === 'nodes') hasNodes = true;
      readable.push(manifest);
    } catch (error) {
      if (!(error instanceof UnreadableObjectError)) throw error;
      unreadable.push({ file: manifest.file, line: manifest.line, because: error.message });
    }
  }
  const matrix = storageMatrix();
  const found = readable.flatMap((manifest): readonly (readonly [Manifest, Metadata, Finding])[] => {
    const { object } = manifest;
    const kind = workloadKindOf(object);
    const namespaced = inNamespace(object);
    if (kind !== undefined) {
      const workload = workloadFrom(kind, namespaced);
      if (!mountsVolumes(workload) || isOwnedByWorkload(workload.metadata)) return [];
      const { facts } = gatherFacts(workload, state, matrix);
      return bySeverity(evaluateWorkload(rules, workload, forecast(facts))).map((f) => [
        manifest,
        workload.metadata,
        f,
      ]);
    }
    if (object.kind !== 'PersistentVolumeClaim') return [];
    const claim = claimFrom(namespaced);
    const { facts } = gathering(state, matrix, (reading) => accessModeFacts(claim, reading));
    return evaluateClaim(rules, claim.metadata.name, facts).map((f) => [manifest, claim.metadata, f]);
  });
  const findings = found.flatMap(([manifest, metadata, finding]): readonly ReportedFinding[] => {
    if (finding.judges === 'open') return [];
    const { rule, severity, claims, fix } = finding;
    const resource = resourceOf(manifest, metadata);
    const message = `${rule.reason} (${finding.detail})`;
    const reported = { rule, severity, resource, claims, message, fix, place: placeOf(manifest, finding), related: [] };
    return [{ ...reported, fingerprint: fingerprint(reported) }];
  });
  const inconclusive = found.flatMap(([manifest, metadata, finding]): readonly ReportedOpen[] => {
    if (finding.judges !== 'open') return [];
    const resource = resourceOf(manifest, metadata);
    return [{ rule: finding.rule, resource, because: finding.detail, place: placeOf(manifest, finding) }];
  });
  const count = (wanted: string): number => findings.filter(({ severity }) => severity === wanted).length;
  return {
    findings,
    inconclusive,
    unreadable,
    notes: [],
    summary: {
      objects: readable.length,
      workloads: readable.filter(({ object }) => workloadKindOf(object) !== undefined).length,
      error: count('error'),
      warning: count('warning'),
      info: count('info'),
      ignored: 0,
      inconclusive: inconclusive.length,
    },
  };
}

function inNamespace(object: JsonObject): JsonObject {
  const { metadata } = object;
  const named = typeof metadata === 'object' && metadata !== null ? metadata : {};
  return { ...object, metadata: { namespace: 'default', ...named } };
}

function resourceOf({ object }: Manifest, { namespace, name }: Metadata): ReportedObject {
  return { apiVersion: String(object.apiVersion), kind: String(object.kind), namespace, name };
}

function placeOf({ file, line, spots, template }: Manifest, finding: Finding): Place {
  const path = finding.judges === 'claim' ? 'spec.accessModes' : 'spec.strategy';
  const spot = spots(path) ?? spots('spec') ?? spots('') ?? { line, column: 1 };
  return { file, ...spot, template };
}
