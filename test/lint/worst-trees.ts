/** A file of a tree, and what stands in it. */
export type TreeFile = readonly [path: string, text: string];

/** A shape of input that once took more than twice the time for twice the size, or that looks as if it might. */
export interface WorstTree {
  readonly name: string;
  /** How many files, documents, users or claims the benchmark makes of it. */
  readonly size: number;
  /** Each workload is compared with one that has as many claims as the whole input, for as long as its budget lasts. */
  readonly budgeted?: true;
  readonly files: (size: number) => readonly TreeFile[];
}

const STAGES = ['staging', 'production'] as const;

export const WORST_TREES: readonly WorstTree[] = [
  {
    name: 'namespaces, each in two stages',
    size: 500,
    files: (size) =>
      twice(size, (n, stage) => [claim('data', `team-${n}`, stage), deployment('web', ['data'], `team-${n}`)]),
  },
  {
    name: 'objects of no namespace in two stages',
    size: 500,
    files: (size) => twice(size, (n, stage) => [claim(`data-${n}`, '', stage), deployment(`web-${n}`, [`data-${n}`])]),
  },
  {
    name: 'overlays of one base',
    size: 500,
    files: (size) => [
      ['base/all.yaml', written([claim('data'), deployment('web', ['data'])])],
      ...each(size, (n) => [`overlays/${n}/web.yaml`, deployment('web', ['data'], '', `image-${n}`)]),
    ],
  },
  {
    name: 'documents in one file',
    size: 20_000,
    files: (size) => [
      [
        'all.yaml',
        written(range(size / 2).flatMap((n) => [claim(`data-${n}`), deployment(`web-${n}`, [`data-${n}`])])),
      ],
    ],
  },
  {
    name: 'documents of one name in one file',
    size: 10_000,
    files: (size) => [
      [
        'all.yaml',
        written(range(size / 2).flatMap((n) => [claim('data', '', stageOf(n)), deployment('web', ['data'])])),
      ],
    ],
  },
  {
    name: 'users of one claim',
    size: 10_000,
    files: (size) => [
      ['claim.yaml', claim('data')],
      ...each(size, (n) => [`users/${n}.yaml`, deployment(`web-${n}`, ['data'])]),
    ],
  },
  {
    name: 'users of one claim, in two stages',
    size: 2_000,
    files: (size) => [
      ...STAGES.map((stage): TreeFile => [`${stage}/claim.yaml`, claim('data', 'shop', stage)]),
      ...twice(size / 2, (n) => [deployment(`web-${n}`, ['data'], 'shop')]),
    ],
  },
  {
    name: 'claims of one name in different files, and as many users',
    size: 2_000,
    files: (size) => [
      ...each(size / 2, (n) => [`claims/${n}.yaml`, claim('data', '', stageOf(n))]),
      ...each(size / 2, (n) => [`users/${n}.yaml`, deployment(`web-${n}`, ['data'])]),
    ],
  },
  {
    name: 'claims of one name in namespaces, and users that name none',
    size: 2_000,
    files: (size) => [
      ...each(size / 2, (n) => [`claims/${n}.yaml`, claim('data', `team-${n}`)]),
      ...each(size / 2, (n) => [`users/${n}.yaml`, deployment(`web-${n}`, ['data'])]),
    ],
  },
  {
    name: 'claim templates of one StatefulSet in two stages',
    size: 2_000,
    files: (size) =>
      STAGES.map((stage) => [
        `${stage}/all.yaml`,
        written([statefulSet(size, stage), deployment('web', ['t0-db-0', 't1-db-1'])]),
      ]),
  },
  {
    name: 'claims of one Deployment in two stages, and a user of each',
    size: 1_000,
    budgeted: true,
    files: (size) => [
      [
        'web.yaml',
        deployment(
          'web',
          range(size).map((n) => `data-${n}`),
        ),
      ],
      ...STAGES.map(
        (stage): TreeFile => [`${stage}/all.yaml`, written(range(size).map((n) => claim(`data-${n}`, '', stage)))],
      ),
      ...each(size, (n) => [`users/${n}.yaml`, deployment(`user-${n}`, [`data-${n}`])]),
    ],
  },
  {
    name: 'folders in folders',
    size: 1_000,
    files: (size) =>
      each(size, (n) => [
        `${'d/'.repeat(n % 100)}${n}.yaml`,
        written([claim('data', '', stageOf(n)), deployment('web', ['data'])]),
      ]),
  },
  {
    name: 'autoscalers of one Deployment in as many files',
    size: 1_000,
    files: (size) =>
      each(size, (n) => [
        `${n}/all.yaml`,
        written([claim('data'), deployment('web', ['data']), autoscaler(`web-${n}`)]),
      ]),
  },
  {
    name: 'default storage classes in two stages',
    size: 1_000,
    files: (size) =>
      twice(size / 2, (n, stage) => [
        defaultClass(`class-${n}`, stage),
        claim(`data-${n}`),
        deployment(`web-${n}`, [`data-${n}`]),
      ]),
  },
  {
    name: 'volumes of one disk',
    size: 1_000,
    files: (size) =>
      each(size, (n) => [`${n}.yaml`, written([volume(n), claim(`data-${n}`), deployment(`web-${n}`, [`data-${n}`])])]),
  },
  {
    name: 'definitions of custom resources',
    size: 40,
    files: (size) => each(size, (n) => [`${n}.yaml`, definition(n)]),
  },
  { name: 'nothing at all', size: 1, files: () => [['all.yaml', '']] },
];

function range(size: number): readonly number[] {
  return Array.from({ length: size }, (_, n) => n);
}

function each(size: number, file: (n: number) => TreeFile): readonly TreeFile[] {
  return range(size).map(file);
}

function twice(size: number, documents: (n: number, stage: string) => readonly string[]): readonly TreeFile[] {
  return STAGES.flatMap((stage) => each(size, (n) => [`${stage}/${n}.yaml`, written(documents(n, stage))]));
}

function stageOf(n: number): string {
  return STAGES[n % 2] ?? '';
}

function written(documents: readonly string[]): string {
  return documents.join('---\n');
}

function metadata(name: string, namespace: string): string {
  return `metadata:\n  name: ${name}\n${namespace === '' ? '' : `  namespace: ${namespace}\n`}`;
}

/** What it asks for differs between stages. */
function claim(name: string, namespace = '', stage = ''): string {
  const mode = stage === 'staging' ? 'ReadWriteMany' : 'ReadWriteOnce';
  return `apiVersion: v1\nkind: PersistentVolumeClaim\n${metadata(name, namespace)}spec:\n  accessModes: [${mode}]\n`;
}

function deployment(name: string, claims: readonly string[], namespace = '', image = 'web'): string {
  const mounts = claims.map((_, n) => `{name: v${n}, mountPath: /v${n}}`);
  const volumes = claims.map((at, n) => `      - {name: v${n}, persistentVolumeClaim: {claimName: ${at}}}\n`);
  return `apiVersion: apps/v1
kind: Deployment
${metadata(name, namespace)}spec:
  strategy: {type: Recreate}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers: [{name: web, image: ${image}, volumeMounts: [${mounts.join(', ')}]}]
      volumes:
${volumes.join('')}`;
}

function statefulSet(templates: number, stage: string): string {
  const claims = range(templates).map((n) => `  - {metadata: {name: t${n}}, spec: {accessModes: [ReadWriteOnce]}}\n`);
  return `apiVersion: apps/v1
kind: StatefulSet
${metadata('db', '')}spec:
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: ${stage}}]}}
  volumeClaimTemplates:
${claims.join('')}`;
}

function autoscaler(name: string): string {
  const target = 'scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}';
  return `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n${metadata(name, '')}spec: {maxReplicas: 3, ${target}}\n`;
}

function defaultClass(name: string, stage: string): string {
  const isDefault = 'annotations: {storageclass.kubernetes.io/is-default-class: "true"}';
  const provisioner = stage === 'staging' ? 'nfs.csi.k8s.io' : 'ebs.csi.aws.com';
  return `apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: ${name}, ${isDefault}}\nprovisioner: ${provisioner}\n`;
}

function volume(n: number): string {
  const spec = `accessModes: [ReadWriteOnce], csi: {driver: ebs.csi.aws.com, volumeHandle: one}, claimRef: {name: data-${n}}`;
  return `apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: disk-${n}}\nspec: {${spec}}\n`;
}

/** Of some 100 KB. */
function definition(n: number): string {
  const field = (at: number): string =>
    `              field${at}:\n                description: "What is 'field ${at}' for: to be described"\n                type: string\n`;
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: a${n}.example.com}
spec:
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
${range(900).map(field).join('')}`;
}
