import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TreeFile } from '../lint/worst-trees.ts';
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
  /** As many files, in which every object stands in two, over these: the median of the rounds, in processor time. */
  readonly twice: number;
}

const ROUNDS = 7;

export const PROGRAM = join(import.meta.dirname, '../../dist/rwo-guard.js');

/** Lints `count` files of a Deployment and a claim each, every tenth of which is at fault, in turns with parsing them. */
export async function measureLint(count: number): Promise<LintTimes> {
  const files = applications(count);
  const staged = files.slice(count / 2).flatMap(([name, text]): readonly TreeFile[] => [
    [`staging/${name}`, text],
    [`production/${name}`, text.replace('LOG_LEVEL', 'LEVEL')],
  ]);
  return withTree(files, (folder) =>
    withTree(staged, async (stages) => {
      const rounds: { all: Ran; one: Ran; parsing: Ran; twice: Ran }[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        rounds.push({
          all: await lint(folder),
          one: await lint(join(folder, 'app-1.yaml')),
          parsing: await run([join(import.meta.dirname, 'parse-yaml.ts'), folder]),
          twice: await lint(stages),
        });
      }
      return {
        all: median(rounds.map(({ all }) => all.milliseconds)),
        one: median(rounds.map(({ one }) => one.milliseconds)),
        parsing: median(rounds.map(({ parsing }) => parsing.milliseconds)),
        ratio: median(rounds.map(({ all, parsing }) => all.milliseconds / parsing.milliseconds)),
        memory: median(rounds.map(({ all }) => all.memory)),
        twice: median(rounds.map(({ all, twice }) => twice.processor / all.processor)),
      };
    }),
  );
}

/** Files of a Deployment and a claim each. */
export function applications(count: number): readonly TreeFile[] {
  return Array.from({ length: count }, (_, n): TreeFile => [`app-${n}.yaml`, manifests(n)]);
}

/** With a folder that holds these files, and that goes afterwards. */
export async function withTree<T>(files: readonly TreeFile[], work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-'));
  try {
    for (const [name, text] of files) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export function lint(path: string): Promise<Ran> {
  return run([PROGRAM, 'lint', '--format', 'json', path]);
}

export interface Ran {
  readonly milliseconds: number;
  /** Milliseconds of processor time, which others on the machine do not add to. */
  readonly processor: number;
  /** Megabytes of resident memory at the peak. */
  readonly memory: number;
  /** Of what was printed. */
  readonly bytes: number;
}

/** What the process says of itself as it ends, because nobody else can tell the memory of one that is gone. */
const TELL = `process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  process.stderr.write('peak ' + maxRSS + ' ' + (userCPUTime + systemCPUTime));
});`;

/** Runs Node with these arguments, and tells what that took. */
export function run(args: readonly string[]): Promise<Ran> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const node = ['--import', `data:text/javascript,${encodeURIComponent(TELL)}`, ...args];
    execFile(process.execPath, node, { maxBuffer: 2 ** 29 }, (error, stdout, stderr) => {
      const [, kilobytes, microseconds] = /peak (\d+) (\d+)$/.exec(stderr) ?? [];
      if (kilobytes === undefined || (error !== null && error.code !== 1)) reject(error ?? new Error(stderr));
      else {
        const milliseconds = performance.now() - start;
        const processor = Number(microseconds) / 1_000;
        resolve({ milliseconds, processor, memory: Number(kilobytes) / 1_000, bytes: stdout.length });
      }
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
