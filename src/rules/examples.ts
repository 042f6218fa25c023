/** Manifests that are whole and as short as they can be. */
export interface Example {
  /** The rule has a finding about this. */
  readonly bad: string;
  /** No rule has a finding about this. */
  readonly good: string;
}

const STORAGE_CLASS = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: disks}
provisioner: ebs.csi.aws.com
`;

const CLAIM = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
`;

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: "web:1"
          volumeMounts: [{name: data, mountPath: /data}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
`;

const CRON_JOB = `apiVersion: batch/v1
kind: CronJob
metadata: {name: import}
spec:
  schedule: "*/5 * * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: import
              image: "import:1"
              volumeMounts: [{name: data, mountPath: /data}]
          volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
`;

const POD_CLAIM = CLAIM.replace('ReadWriteOnce', 'ReadWriteOncePod');
const SHARED_CLAIM = CLAIM.replace('ReadWriteOnce', 'ReadWriteMany');
const RECREATE = 'strategy: {type: Recreate}';
const OLD_POD_FIRST = 'strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}';

/** Examples by the id of the rule. */
export const examples: Readonly<Record<string, Example>> = {
  'rollout-deadlock': {
    bad: documents(CLAIM, DEPLOYMENT),
    good: documents(CLAIM, withSpec(DEPLOYMENT, RECREATE)),
  },
  'rollout-blocked': {
    bad: documents(POD_CLAIM, DEPLOYMENT),
    good: documents(POD_CLAIM, withSpec(DEPLOYMENT, RECREATE)),
  },
  'rollout-transient': {
    bad: documents(CLAIM, withSpec(DEPLOYMENT, 'strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}')),
    good: documents(CLAIM, withSpec(DEPLOYMENT, OLD_POD_FIRST)),
  },
  'replicas-split': {
    bad: documents(CLAIM, withSpec(DEPLOYMENT, 'replicas: 2', RECREATE)),
    good: documents(SHARED_CLAIM, withSpec(DEPLOYMENT, 'replicas: 2')),
  },
  'claim-shared': {
    bad: documents(CLAIM, CRON_JOB),
    good: documents(CLAIM, withSpec(CRON_JOB, 'concurrencyPolicy: Forbid')),
  },
  'access-mode-unsupported': {
    bad: documents(STORAGE_CLASS, withSpec(SHARED_CLAIM, 'storageClassName: disks')),
    good: documents(STORAGE_CLASS, withSpec(CLAIM, 'storageClassName: disks')),
  },
  'claim-unknown': {
    bad: documents(DEPLOYMENT),
    good: documents(CLAIM, withSpec(DEPLOYMENT, OLD_POD_FIRST)),
  },
};

function documents(...texts: readonly string[]): string {
  return texts.join('---\n');
}

/** The manifest with these fields at the beginning of its `spec`. */
function withSpec(manifest: string, ...fields: readonly string[]): string {
  return manifest.replace(/^spec:$/m, ['spec:', ...fields.map((field) => `  ${field}`)].join('\n'));
}
