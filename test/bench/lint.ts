import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './median.ts';

export interface LintTimes {
  /** Milliseconds from start to end of the process, for all files and for one of them. */
  readonly all: number;
  readonly one: number;
  /** Milliseconds of a process that parses the same files with `yaml`, and does nothing with them. */
  readonly parsing: number;
  /** The median over the rounds of `all` by `parsing`, which ran one after the other. */
  readonly ratio: number;
  /** Megabytes of resident memory at the peak. */
  readonly memory: number;
}

const ROUNDS = 7;

const PROGRAM = join(import.meta.dirname, '../../dist/rwo-guard.js');

/** Lints `count` files of a Deployment and a claim each, every tenth of which is at fault, in turns with parsing them. */
export async function measureLint(count: number): Promise<LintTimes> {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-'));
  try {
    for (let n = 0; n < count; n++) await writeFile(join(folder, `app-${n}.yaml`), manifests(n));
    const rounds: { all: Ran; one: Ran; parsing: Ran }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({
        all: await run([PROGRAM, 'lint', folder]),
        one: await run([PROGRAM, 'lint', join(folder, 'app-1.yaml')]),
        parsing: await run([join(import.meta.dirname, 'parse-yaml.ts'), folder]),
      });
    }
    return {
      all: median(rounds.map(({ all }) => all.milliseconds)),
      one: median(rounds.map(({ one }) => one.milliseconds)),
      parsing: median(rounds.map(({ parsing }) => parsing.milliseconds)),
      ratio: median(rounds.map(({ all, parsing }) => all.milliseconds / parsing.milliseconds)),
      memory: median(rounds.map(({ all }) => all.memory)),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Ran {
  readonly milliseconds: number;
  readonly memory: number;
}

/** What the process says of itself as it ends, because nobody else can tell the memory of one that is gone. */
const TELL = `process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS));`;

function run(args: readonly string[]): Promise<Ran> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const node = ['--import', `data:text/javascript,${encodeURIComponent(TELL)}`, ...args];
    execFile(process.execPath, node, { maxBuffer: 2 ** 28 }, (error, _stdout, stderr) => {
      const kilobytes = /peak (\d+)$/.exec(stderr)?.[1];
      if (kilobytes === undefined || (error !== null && error.code !== 1)) reject(error ?? new Error(stderr));
      else resolve({ milliseconds: performance.now() - start, memory: Number(kilobytes) / 1_000 });
    });
  });
}

function manifests(n: number): string {
  return `apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data-${n}
  namespace: shop
  labels: { app.kubernetes.io/name: app-${n} }
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: gp3
  resources:
    requests:
      storage: 10Gi
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-${n}
  namespace: shop
  labels:
    app.kubernetes.io/name: app-${n}
spec:
  replicas: 1
  strategy:
    type: ${n % 10 === 0 ? 'RollingUpdate' : 'Recreate'}
  selector:
    matchLabels:
      app.kubernetes.io/name: app-${n}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: app-${n}
    spec:
      containers:
        - name: app
          image: registry.example.com/app:${n}
          env:
            - name: LOG_LEVEL
              value: info
          ports:
            - containerPort: 8080
          volumeMounts:
            - name: data
              mountPath: /data
          resources:
            requests:
              cpu: 100m
              memory: 128Mi
      volumes:
        - name: data
          persistentVolumeClaim:
            claimName: data-${n}
`;
}
