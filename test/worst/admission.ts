import type { Admission } from '../../src/admission/admission.ts';
import { createAdmission } from '../../src/admission/admit.ts';
import { RecentRequests } from '../../src/cluster/recent-requests.ts';
import { storageMatrix } from '../../src/facts/storage-backend.ts';
import { putObject } from '../../src/lint/file-snapshot.ts';
import { known } from '../../src/objects/fact.ts';
import type { JsonObject } from '../../src/objects/json.ts';
import { rules } from '../../src/rules/index.ts';
import { ClusterState } from '../../src/snapshot/cluster-state.ts';

/** The admission of a replica that knows these objects, and to which the API server says at once that there are no others. */
export function admissionOver(objects: Iterable<JsonObject>): Admission {
  const state = new ClusterState();
  for (const object of objects) putObject(state, object);
  return createAdmission({
    snapshot: state,
    matrix: storageMatrix(),
    rules,
    lookUp: async (refs) => refs.map((ref) => ({ ...ref, found: known(undefined) })),
    recent: new RecentRequests(() => 0),
    settings: {
      defaultMode: 'warn',
      policy: { dryRun: 'warn', existing: 'warn', overBudget: 'warn', exemptions: 'allow' },
      exempt: { namespaces: [], users: [], autoscalers: [] },
    },
  });
}
