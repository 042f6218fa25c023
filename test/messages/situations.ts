import { claim, creating, deployment, enforcing, scene, settings, updating } from '../admission/scene.ts';

/** A request, and what the API server is answered. */
export interface Situation {
  readonly what: string;
  readonly answer: () => Promise<{ readonly warnings: readonly string[]; readonly message: string | undefined }>;
}

const applied = { managedFields: [{ manager: 'argocd', operation: 'Apply', fieldsV1: { 'f:spec': {} } }] };
const recreate = { strategy: { type: 'Recreate' } };
const policy = { dryRun: 'warn', existing: 'warn', exemptions: 'allow', overBudget: 'warn' } as const;

const mounting = (claimName: string) => ({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] });

/** What no fixture shows: other ways to send an object, and what stands beside findings. */
export const SITUATIONS: readonly Situation[] = [
  validated('an update by server-side apply', {}, updating(deployment(recreate), deployment({}, applied))),
  validated('a dry run', {}, creating(deployment(), { dryRun: true })),
  validated('exemptions are forbidden', { settings: { exemptions: 'deny' } }, creating(deployment())),
  validated(
    'an annotation that gives no reason',
    {},
    creating(deployment({}, { annotations: { 'rwo-guard.dev/ignore': 'rollout-deadlock' } })),
  ),
  validated('a label that is no mode', { labels: { 'rwo-guard.dev/mode': 'enforced' } }, creating(deployment())),
  validated('a state that is ten minutes old', { staleFor: 600 }, creating(deployment())),
  validated('a claim that comes after the Deployment that mounts it', { late: 'late' }, creating(claim('late'))),
  validated('a dry run of such a claim', { late: 'late' }, creating(claim('late'), { dryRun: true })),
  validated(
    'names as long as they may be',
    { names: ['n'.repeat(250), 'm'.repeat(253)] },
    updating(
      deployment(recreate, { name: 'w'.repeat(253) }, mounting('n'.repeat(250))),
      deployment({}, { name: 'w'.repeat(253), ...applied }, mounting('n'.repeat(250))),
    ),
  ),
  validated('a name that no API server takes', {}, creating(deployment({}, { name: 'web\u001b[2K\nallowed' }))),
  repaired('a Deployment that is repaired', 'recreate', creating(deployment())),
  repaired(
    'several replicas that are repaired',
    'auto',
    updating(deployment({ replicas: 2 }), deployment({ replicas: 3 })),
  ),
];

interface Around {
  readonly labels?: object;
  readonly settings?: { readonly exemptions: 'deny' };
  readonly staleFor?: number;
  /** A claim that a Deployment mounts and that is not there. */
  readonly late?: string;
  /** Claims that are there, beside `data`. */
  readonly names?: readonly string[];
}

function validated(what: string, around: Around, request: object): Situation {
  const { labels = enforcing, staleFor, late, names = [] } = around;
  return {
    what,
    async answer() {
      const here = scene({
        labels,
        settings: settings({ policy: { ...policy, ...around.settings } }),
        ...(staleFor !== undefined && { staleFor: () => staleFor }),
      });
      here.add(...names.map((name) => claim(name)));
      if (late !== undefined) here.add(deployment({}, {}, mounting(late)));
      const { warnings, response } = await here.validate(request);
      return { warnings, message: response.status?.message };
    },
  };
}

function repaired(what: string, mutate: string, request: object): Situation {
  return {
    what,
    async answer() {
      const { warnings } = await scene({ labels: { 'rwo-guard.dev/mutate': mutate } }).mutate(request);
      return { warnings, message: undefined };
    },
  };
}
