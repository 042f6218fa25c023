/** Manifests as a person would write them, as YAML for kubectl's standard input. */

export interface DeploymentOptions {
  readonly name?: string;
  readonly claim?: string;
  readonly replicas?: number;
  /** Lines of YAML below `strategy:`. */
  readonly strategy?: readonly string[];
  readonly image?: string;
  readonly generateName?: boolean;
  readonly finalizer?: string;
}

export function deployment(namespace: string, options: DeploymentOptions = {}): string {
  const {
    name = 'web',
    claim = 'data',
    replicas = 1,
    strategy = [],
    image = 'web:1',
    generateName,
    finalizer,
  } = options;
  return lines(
    'apiVersion: apps/v1',
    'kind: Deployment',
    'metadata:',
    `  namespace: ${namespace}`,
    generateName ? `  generateName: ${name}-` : `  name: ${name}`,
    ...(finalizer === undefined ? [] : [`  finalizers: [${finalizer}]`]),
    'spec:',
    `  replicas: ${replicas}`,
    ...(strategy.length === 0 ? [] : ['  strategy:', ...strategy.map((line) => `    ${line}`)]),
    `  selector: { matchLabels: { app: ${name} } }`,
    '  template:',
    `    metadata: { labels: { app: ${name} } }`,
    '    spec:',
    '      terminationGracePeriodSeconds: 0',
    '      containers:',
    `        - { name: web, image: ${image}, volumeMounts: [{ name: data, mountPath: /data }] }`,
    '      volumes:',
    `        - { name: data, persistentVolumeClaim: { claimName: ${claim} } }`,
  );
}

export function claim(namespace: string, name = 'data'): string {
  return lines(
    'apiVersion: v1',
    'kind: PersistentVolumeClaim',
    `metadata: { namespace: ${namespace}, name: ${name} }`,
    'spec:',
    '  accessModes: [ReadWriteOnce]',
    '  storageClassName: disk',
    '  resources: { requests: { storage: 1Gi } }',
  );
}

/** A volume that waits for one claim, so that the claim binds without a provisioner. */
export function volume(namespace: string, name = 'data'): string {
  return lines(
    'apiVersion: v1',
    'kind: PersistentVolume',
    `metadata: { name: ${namespace}-${name} }`,
    'spec:',
    '  accessModes: [ReadWriteOnce]',
    '  capacity: { storage: 1Gi }',
    '  storageClassName: disk',
    `  claimRef: { namespace: ${namespace}, name: ${name} }`,
    `  csi: { driver: disk.example.com, volumeHandle: ${namespace}-${name} }`,
  );
}

export function namespace(name: string, labels: Readonly<Record<string, string>> = {}): string {
  const written = Object.entries(labels).map(([key, value]) => `rwo-guard.dev/${key}: "${value}"`);
  return lines('apiVersion: v1', 'kind: Namespace', `metadata: { name: ${name}, labels: { ${written.join(', ')} } }`);
}

/** Three nodes, and a storage class whose driver attaches. */
export function cluster(): string {
  const nodes = ['a', 'b', 'c'].map((name) =>
    lines(
      'apiVersion: v1',
      'kind: Node',
      'metadata:',
      `  name: ${name}`,
      `  labels: { kubernetes.io/hostname: ${name}, kubernetes.io/os: linux }`,
      '  annotations: { volumes.kubernetes.io/controller-managed-attach-detach: "true", kwok.x-k8s.io/node: fake }',
      'status:',
      '  allocatable: { cpu: "32", memory: 64Gi, pods: "110" }',
    ),
  );
  const storageClass = lines(
    'apiVersion: storage.k8s.io/v1',
    'kind: StorageClass',
    'metadata: { name: disk }',
    'provisioner: disk.example.com',
  );
  const driver = lines(
    'apiVersion: storage.k8s.io/v1',
    'kind: CSIDriver',
    'metadata: { name: disk.example.com }',
    'spec: { attachRequired: true }',
  );
  return documents(...nodes, storageClass, driver);
}

export function documents(...all: readonly string[]): string {
  return all.join('---\n');
}

export function lines(...text: readonly string[]): string {
  return `${text.join('\n')}\n`;
}
