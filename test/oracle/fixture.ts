import { stringify } from 'yaml';
import type { KubernetesObject } from '../control-plane/kubernetes-api.ts';
import type { Plan } from './plan.ts';
import type { Judged } from './play.ts';

/** What the API server adds and nobody writes. */
const SERVER_FIELDS: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'finalizers',
  'selfLink',
]);

/** An act of a scenario as manifests, under a comment that says what was foretold and what happened. */
export function fixtureOf(plan: Plan, { situation, foretold, observed }: Judged): string {
  const { objects, running, wanted, places, action } = situation;
  const asked = action === 'create' || running === undefined ? [] : [running];
  const documents = [...objects, ...asked, wanted].map((object) => stringify(written(object)));
  const comment = [
    `Scenario ${plan.id}: ${JSON.stringify(plan)}`,
    `Action: ${action}; old pods on: ${places.join(', ') || 'no node'}`,
    `Foretold: ${JSON.stringify(foretold)}`,
    `Happened: ${JSON.stringify(observed)}`,
    ...(asked.length > 0 ? ['The workload comes twice: as it ran, and as it was asked for.'] : []),
  ];
  return [comment.map((line) => `# ${line}\n`).join(''), ...documents].join('---\n');
}

function written(object: KubernetesObject): object {
  const { status, ...rest } = object as KubernetesObject & { status?: object };
  const metadata = Object.entries(rest.metadata ?? {}).filter(([key]) => !SERVER_FIELDS.has(key));
  const kept = { apiVersion: rest.apiVersion, kind: rest.kind, ...rest, metadata: Object.fromEntries(metadata) };
  return rest.kind === 'PersistentVolumeClaim' ? { ...kept, status } : kept;
}
