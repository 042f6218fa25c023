import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { relative } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { readInput } from '../../src/lint/input.ts';
import { filesFor, lintIn, lintText } from './linted.ts';
import { claim, deployment, written } from './manifests.ts';

for (const { name, manifest } of [
  { name: 'several documents', manifest: written(claim(), deployment()) },
  { name: 'a List', manifest: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [claim(), deployment()] }) },
  { name: 'Windows line ends', manifest: written(claim(), deployment()).replaceAll('\n', '\r\n') },
  { name: 'a byte order mark', manifest: `\uFEFF${written(claim(), deployment())}` },
  { name: 'empty documents', manifest: `---\n---\n# nothing\n---\n${written(claim(), deployment())}---\n` },
  { name: 'other kinds', manifest: written(claim(), { apiVersion: 'example.com/v1', kind: 'Web' }, deployment()) },
  {
    name: 'anchors, aliases and merge keys',
    manifest: `${written(claim())}---
apiVersion: apps/v1
kind: Deployment
metadata: &metadata { name: web }
labels: &labels { app: web }
spec:
  selector: { matchLabels: *labels }
  template:
    metadata: { <<: *metadata, labels: *labels }
    spec: { volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }] }
`,
  },
]) {
  test(`the rollout that can wait for ever is found in ${name}`, async (t) => {
    const { code, printed } = await lintText(t, manifest);
    assert.equal(code, 1);
    assert.deepEqual(
      printed.findings.map(({ rule, resource }) => [rule, resource.name]),
      [['rollout-deadlock', 'web']],
    );
    assert.deepEqual(printed.unreadable, []);
  });
}

test('what stands on stdin is judged like a file', async (t) => {
  const folder = await filesFor(t, {});
  const { printed } = await lintIn(folder, { paths: ['-'], stdin: written(claim(), deployment()) });
  assert.equal(printed.findings[0]?.file, '<stdin>');
});

test('a claim in another file is found', async (t) => {
  const folder = await filesFor(t, { 'a/web.yaml': written(deployment()), 'b/claim.yaml': written(claim()) });
  const { printed } = await lintIn(folder);
  assert.deepEqual(
    printed.findings.map(({ file, related }) => [file.slice(folder.length), related[0]?.file.slice(folder.length)]),
    [['/a/web.yaml', '/b/claim.yaml']],
  );
});

for (const [name, text] of Object.entries({
  'a tab for indentation': 'apiVersion: v1\nkind: Node\nspec:\n\ta: 1\n',
  'a bracket that is never closed': 'apiVersion: v1\nkind: [\n',
  'a field of a wrong type': 'apiVersion: apps/v1\nkind: Deployment\nspec: { replicas: many }\n',
})) {
  test(`${name} is unreadable, exit code 2, and the rest is judged`, async (t) => {
    const folder = await filesFor(t, { 'a.yaml': text, 'b.yaml': written(claim(), deployment()) });
    const { code, printed } = await lintIn(folder);
    assert.equal(code, 2);
    assert.equal(printed.unreadable.length, 1);
    assert.equal(printed.findings.length, 1);
  });
}

test('a Job that YAML 1.1 suspends starts no pods', async (t) => {
  for (const [suspend, findings] of [
    ['yes', 0],
    ['off', 1],
  ] as const) {
    const job = { ...deployment({ parallelism: 2 }), apiVersion: 'batch/v1', kind: 'Job' };
    const { printed } = await lintText(t, `${written(claim(), job)}  suspend: ${suspend}\n`);
    assert.equal(printed.findings.length, findings);
  }
});

test('a label that is a boolean to Kubernetes is unreadable, as the API server refuses it', async (t) => {
  const { code, printed } = await lintText(t, written(deployment()).replace('app: web', 'app: on'));
  assert.equal(code, 2);
  assert.match(printed.unreadable[0]?.because ?? '', /app must be a string/);
});

for (const [file, text, because] of [
  ['chart/templates/web.yaml', 'apiVersion: v1\nkind: Node\nspec: { a: "{{ .Values.a }}" }\n', /Helm template/],
  ['web.yaml', 'apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: {{ .Values.replicas }}\n', /Helm template/],
  ['web.yaml', '{{- if .Values.web }}\napiVersion: apps/v1\nkind: Deployment\n{{- end }}\n', /Helm template/],
  ['values.yaml', 'replicas: 3\n', /values of a chart/],
  ['values-production.yaml', 'replicas: 3\n', /values of a chart/],
  ['chart/Chart.yaml', 'apiVersion: v2\nname: web\n', /a chart/],
  ['kustomization.yaml', 'resources: [web.yaml]\n', /kustomization/],
  ['base/kustomization.yaml', 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n', /kustomization/],
] as const) {
  test(`${file} with ${JSON.stringify(text)} is skipped with a note, named or found`, async (t) => {
    const folder = await filesFor(t, { 'chart/Chart.yaml': 'apiVersion: v2\nname: web\n', [file]: text });
    for (const paths of [['.'], [file]]) {
      const { stderr } = await lintIn(folder, { paths });
      assert.match(stderr, because);
      assert.ok(stderr.includes(file), stderr);
    }
  });
}

const PATCH = written(deployment({ replicas: 3 }));

for (const [name, kustomization] of Object.entries({
  patches: 'patches: [{ path: patch.yaml }, { patch: "- op: remove", target: {} }]',
  patchesStrategicMerge: 'patchesStrategicMerge: [patch.yaml, "kind: Deployment\\nspec: {}\\n"]',
  patchesJson6902: 'patchesJson6902: [{ path: ./patch.yaml, target: { kind: Deployment, name: web } }]',
  "a component's patches":
    'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{ path: patch.yaml }]',
})) {
  test(`a file that a kustomization names in ${name} is skipped with a note, named or found`, async (t) => {
    const folder = await filesFor(t, { 'a/kustomization.yaml': kustomization, 'a/patch.yaml': PATCH });
    for (const paths of [['.'], ['a/kustomization.yaml', 'a/patch.yaml']]) {
      const { code, printed, stderr } = await lintIn(folder, { paths });
      assert.deepEqual([code, printed.summary.workloads], [2, 0]);
      assert.match(printed.unreadable[0]?.because ?? '', /^nothing was judged, .* charts or kustomizations/);
      assert.match(stderr, /skipped .*patch\.yaml: a patch of a kustomization, not judged; lint what kustomize build/);
    }
  });
}

test('a file that a kustomization names as a patch, and another one as a resource, is judged', async (t) => {
  const folder = await filesFor(t, {
    'base/Kustomization': 'resources: [web.yaml]',
    'base/web.yaml': written(claim(), deployment()),
    'overlay/kustomization.yml': 'bases: [../base]\npatches: [{ path: ../base/web.yaml }]',
  });
  assert.equal((await lintIn(folder)).printed.findings.length, 1);
});

test('a kustomization that cannot be read names nothing, and is told', async (t) => {
  const folder = await filesFor(t, { 'kustomization.yaml': 'patches: [', 'web.yaml': written(claim(), deployment()) });
  const { printed } = await lintIn(folder);
  assert.deepEqual([printed.findings.length, printed.unreadable.length], [1, 1]);
});

test('a document that is broken beside objects and a text with braces is unreadable, and the rest is judged', async (t) => {
  const page = { apiVersion: 'v1', kind: 'ConfigMap', data: { page: '{{ range .Checks }}{{ end }}' } };
  const { code, printed } = await lintText(t, `${written(page, claim(), deployment())}---\ndata: "a" b\n`);
  assert.deepEqual([code, printed.unreadable.length, printed.findings.length], [2, 1, 1]);
});

for (const [name, text] of Object.entries({
  'actions of Go': '{{ if .Web }}\na: 1\n{{ end }}\n---\nb: {{ .B }}\n',
  'tags of Jinja': '{% if web %}\na: 1\n{% endif %}\n---\nb:\n  - {{ b }}\n',
  'actions that YAML can read':
    'apiVersion: v1\nkind: Node\nspec: {{ a }}\n---\napiVersion: v1\nkind: Pod\nspec: {{ b }}\n',
})) {
  test(`a template with ${name} is told in one note, and its other documents are judged`, async (t) => {
    const { code, printed, stderr } = await lintText(t, `${written(claim(), deployment())}---\n${text}`);
    assert.deepEqual([code, printed.unreadable, printed.findings.length], [1, [], 1]);
    assert.match(stderr, /^rwo-guard: skipped \S*a\.yaml: a template; lint what is made of it\n$/);
  });
}

test('an action that stands in what Helm printed is unreadable', async (t) => {
  const text = `---\n# Source: a/templates/b.yaml\n${written(claim())}---\napiVersion: v1\nkind: Pod\nspec: {{ .Spec }}\n`;
  const { code, printed } = await lintText(t, text);
  assert.deepEqual([code, printed.unreadable.map(({ line }) => line)], [2, [11]]);
});

test('what Helm printed is no template, although nothing of it can be read', async (t) => {
  const { code, stderr } = await lintText(t, '---\n# Source: a/templates/b.yaml\na: "{{ range .Checks }}" b\n');
  assert.deepEqual([code, stderr], [2, '']);
});

test('a key that stands twice is told, and the last one counts', async (t) => {
  const { code, printed, stderr } = await lintText(
    t,
    `${written(claim(), deployment())}  replicas: 1\n  replicas: 2\n`,
  );
  assert.equal(code, 1);
  assert.deepEqual(
    printed.findings.map(({ rule }) => rule),
    ['replicas-split'],
  );
  assert.match(stderr, /a\.yaml:\d+: replicas stands here a second time; the last one counts/);
});

test('two objects without --- between them are told once, and the last one counts', async (t) => {
  const { printed, stderr } = await lintText(t, `${written(claim())}${written(deployment())}`);
  assert.equal(printed.summary.objects, 1);
  assert.match(
    stderr,
    /^rwo-guard: \S*a\.yaml:8: two objects without --- between them; of each key the last [^\n]*\n$/,
  );
});

for (const [maxSurge, maxUnavailable, refused] of [
  [0, 0, true],
  ['0%', 0, true],
  [0, '00%', true],
  [0, '1%', false],
  [0, undefined, false],
  [undefined, 0, false],
] as const) {
  test(`maxSurge ${maxSurge} with maxUnavailable ${maxUnavailable} is ${refused ? 'unreadable' : 'judged'}`, async (t) => {
    const rolling = { rollingUpdate: { maxSurge, maxUnavailable } };
    const { code, printed } = await lintText(t, written(claim(), deployment({ strategy: rolling })));
    assert.deepEqual([code === 2, printed.unreadable.length], [refused, refused ? 1 : 0]);
    assert.match(printed.unreadable[0]?.because ?? 'maxUnavailable', /maxUnavailable/);
  });
}

for (const [updateStrategy, refused] of [
  [{ rollingUpdate: { maxSurge: 1 } }, true],
  [{ rollingUpdate: { maxSurge: '10%', maxUnavailable: 2 } }, true],
  [{ rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } }, true],
  [{ rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }, false],
  [{ rollingUpdate: { maxUnavailable: 1 } }, false],
  [{ type: 'OnDelete', rollingUpdate: { maxSurge: 1 } }, false],
  [{}, false],
] as const) {
  test(`a DaemonSet with ${JSON.stringify(updateStrategy)} is ${refused ? 'unreadable' : 'judged'}`, async (t) => {
    const daemonSet = { ...deployment({ updateStrategy }), kind: 'DaemonSet' };
    const { printed } = await lintText(t, written(claim(), daemonSet));
    assert.deepEqual([printed.unreadable.length, printed.findings.length > 0], [refused ? 1 : 0, !refused]);
    assert.match(printed.unreadable[0]?.because ?? 'maxUnavailable', /^maxUnavailable/);
  });
}

test('a rollingUpdate beside Recreate is told, for the API server refuses it where the webhook does not drop it', async (t) => {
  for (const [rollingUpdate, told] of [
    [{ maxSurge: 0, maxUnavailable: 0 }, true],
    [{}, true],
    [null, false],
  ] as const) {
    const { code, stderr } = await lintText(t, written(deployment({ strategy: { type: 'Recreate', rollingUpdate } })));
    assert.equal(code, 0);
    assert.equal(/a\.yaml:\d+: the API server refuses rollingUpdate beside type: Recreate/.test(stderr), told);
  }
});

for (const { hooks, judged } of [
  { hooks: 'test', judged: false },
  { hooks: 'test-success, test', judged: false },
  { hooks: 'post-install, test', judged: true },
]) {
  test(`a Job of Helm's hooks ${hooks} is ${judged ? 'judged' : 'left out with a note'}`, async (t) => {
    const job = {
      ...deployment({ parallelism: 2 }, { annotations: { 'helm.sh/hook': hooks } }),
      apiVersion: 'batch/v1',
    };
    const { printed, stderr } = await lintText(t, written(claim(), { ...job, kind: 'Job' }));
    assert.equal(printed.findings.length, judged ? 1 : 0);
    assert.equal(stderr.includes('1 with helm.sh/hook: test not judged'), !judged);
  });
}

test('braces that mean nothing to Helm are left to whoever reads them', async (t) => {
  const alert = { apiVersion: 'v1', kind: 'ConfigMap', data: { rule: '{{ $value }} of {{ $labels.pod }}' } };
  const { printed, stderr } = await lintText(t, written(alert, claim(), deployment()));
  assert.equal(printed.findings.length, 1);
  assert.equal(stderr, '');
});

for (const [name, text] of Object.entries({
  'package.json': '{"name":"web"}',
  'tsconfig.json': '{\n  // strict\n  "compilerOptions": {},\n}',
  'Taskfile.yml': 'tasks:\n  a:\n    cmds: ["kubectl apply" -f -]\n',
  'workflow.yaml': 'run: |\n    apiVersion: v1\n    kind: Pod\n a: [\n',
  'broken.yaml': 'apiVersion: [\n',
})) {
  test(`${name}, which does not say that it is Kubernetes', is skipped with a note, named or found`, async (t) => {
    const folder = await filesFor(t, { [name]: text });
    for (const paths of [['.'], [name]]) {
      const { code, printed, stderr } = await lintIn(folder, { paths });
      assert.deepEqual([code, printed.unreadable], [0, []]);
      assert.match(stderr, /^rwo-guard: skipped \S*: no Kubernetes object\n$/);
    }
  });
}

for (const [name, text] of Object.entries({
  YAML: 'apiVersion: v1\nkind: Pod\nspec: "a" b\n',
  'YAML in quotes': '"apiVersion": v1\n\'kind\' : Pod\nspec: [\n',
  'JSON with comments': '{\n  // a pod\n  "apiVersion": "v1", "kind": "Pod", "spec": "a" "b" }',
  'UTF-16': Buffer.from('\uFEFFapiVersion: v1\nkind: Pod\n', 'utf16le'),
})) {
  test(`${name} that says that it is Kubernetes' and cannot be read is unreadable`, async (t) => {
    const folder = await filesFor(t, { 'a.yaml': text });
    const { code, printed } = await lintIn(folder);
    assert.deepEqual([code, printed.unreadable.length], [2, 1]);
  });
}

test('a message on stdin in place of manifests is unreadable', async (t) => {
  for (const stdin of ['Error: no such chart\n', 'Error: a: b\n']) {
    const { code, printed } = await lintIn(await filesFor(t, {}), { paths: ['-'], stdin });
    assert.equal(code, 2);
    assert.match(printed.unreadable[0]?.because ?? '', /see whether what writes to the pipe failed/);
  }
});

test('excluded files and folders are not read, named ones too', async (t) => {
  const bad = written(claim(), deployment());
  const folder = await filesFor(t, {
    'vendor/a.yaml': bad,
    'b_test.yaml': bad,
    'c.yaml': 'apiVersion: v1\nkind: Pod\n',
  });
  const exclude = ['vendor/', '*_test.yaml'];
  for (const paths of [['.'], ['b_test.yaml', 'vendor/a.yaml', 'c.yaml']]) {
    assert.equal((await lintIn(folder, { paths, exclude })).printed.summary.objects, 1);
  }
});

test('an input of which everything was excluded is told', async (t) => {
  const folder = await filesFor(t, { 'vendor/a.yaml': written(claim()) });
  for (const paths of [['vendor/a.yaml'], ['vendor']]) {
    const { code, stderr } = await lintIn(folder, { paths, exclude: ['vendor/*'] });
    assert.deepEqual(
      [code, stderr],
      [0, `rwo-guard: everything in the input was excluded, by --exclude or the configuration\n`],
    );
  }
});

test('workloads of other controllers are counted as not judged', async (t) => {
  const rollout = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'a' } };
  const config = { apiVersion: 'apps.openshift.io/v1', kind: 'DeploymentConfig', metadata: { name: 'b' } };
  const { code, stderr } = await lintText(t, written(rollout, rollout, config));
  assert.equal(code, 0);
  assert.match(stderr, /2 of kind Rollout \(argoproj\.io\) not judged/);
  assert.match(stderr, /1 of kind DeploymentConfig \(apps\.openshift\.io\) not judged/);
});

for (const { apiVersion, kind, called } of [
  { apiVersion: 'v1', kind: 'Pod', called: /1 of kind Pod not judged/ },
  { apiVersion: 'v1', kind: 'ReplicationController', called: /1 of kind ReplicationController not judged/ },
  { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', called: /1 of kind ScaledObject \(keda\.sh\) not judged/ },
  { apiVersion: 'apps/v2', kind: 'Deployment', called: /1 of kind Deployment \(apps\/v2\) not judged/ },
  {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    called: /1 of kind HelmRelease \(helm\.toolkit\.fluxcd\.io\) not judged/,
  },
  {
    apiVersion: 'template.openshift.io/v1',
    kind: 'Template',
    called: /1 of kind Template \(template\.openshift\.io\) not judged/,
  },
]) {
  test(`${apiVersion} ${kind} is counted as not judged`, async (t) => {
    assert.match((await lintText(t, written({ apiVersion, kind, metadata: { name: 'a' } }))).stderr, called);
  });
}

test('a folder without any object is told', async (t) => {
  const { code, stderr } = await lintIn(await filesFor(t, { 'notes.txt': 'none' }), { paths: ['.'] });
  assert.equal(code, 0);
  assert.match(stderr, /there is no Kubernetes object in the input/);
});

test('an empty stdin, as a chart prints with everything off, is told and no error', async (t) => {
  for (const stdin of ['', '\n', '---\n# Source: a/templates/b.yaml\n']) {
    const { code, stderr } = await lintIn(await filesFor(t, {}), { paths: ['-'], stdin });
    assert.equal(code, 0);
    assert.match(stderr, /^rwo-guard: there is no Kubernetes object in the input/);
  }
});

test('a pipe that is found in a folder is skipped, and the files beside it are read', async (t) => {
  const folder = await filesFor(t, { 'a.yaml': written(claim(), deployment()) });
  execFileSync('mkfifo', [`${folder}/pipe.yaml`]);
  const { code, stderr } = await lintIn(folder, { paths: ['.'] });
  assert.equal(code, 1);
  assert.match(stderr, /skipped .*pipe\.yaml: a pipe, socket or device/);
});

test('a file that is named in two ways is read once', async (t) => {
  const folder = await filesFor(t, { 'a.yaml': written(claim(), deployment()) });
  const options = { excluded: () => false, gitignore: true, stdin: Readable.from([]), progress: () => {} };
  const { manifests } = await readInput([`${folder}/a.yaml`, `${relative('.', folder)}/a.yaml`], options);
  assert.equal(manifests.length, 2);
});

test('a path that is not there is unreadable, exit code 2, and the others are judged', async (t) => {
  const folder = await filesFor(t, { 'a.yaml': written(claim(), deployment()) });
  const { code, printed } = await lintIn(folder, { paths: ['gone.yaml', 'a.yaml'] });
  assert.deepEqual([code, printed.findings.length], [2, 1]);
  assert.deepEqual(
    printed.unreadable.map(({ file, line }) => [relative(folder, file), line]),
    [['gone.yaml', 1]],
  );
  assert.match(
    printed.unreadable[0]?.because ?? '',
    /^there is no such file or folder; name files, folders, or - for stdin$/,
  );
});

for (const { name, manifests, because } of [
  {
    name: 'a claim whose mode Flux fills in',
    manifests: [claim({ accessModes: [`\${MODE:=ReadWriteOnce}`] })],
    because: `accessModes is "\${MODE:=ReadWriteOnce}", which is filled in later; lint what comes of it`,
  },
  {
    name: 'a Deployment whose replicas Jinja fills in',
    manifests: [deployment({ replicas: '{{ replicas }}' })],
    because: 'replicas is "{{ replicas }}", which is filled in later; lint what comes of it',
  },
]) {
  test(`${name} is open, and nothing to correct`, async (t) => {
    const { code, printed } = await lintText(t, written(...manifests));
    assert.equal(code, 0);
    assert.deepEqual(
      printed.inconclusive.map((open) => [open.rule, open.because, open.line, open.resource.name]),
      [['claim-unknown', because, 1, manifests[0]?.kind === 'Deployment' ? 'web' : 'data']],
    );
    assert.deepEqual([printed.unreadable, printed.summary.inconclusive], [[], 1]);
    const ignored = await lintText(t, written(...manifests), { failOn: 'info' });
    assert.equal(ignored.code, 1);
  });
}

for (const { name, files, run } of [
  {
    name: 'a chart',
    files: { 'my shop/Chart.yaml': 'name: shop\n' },
    run: /: run helm template '\S+\/my shop' \| rwo-guard lint -$/,
  },
  {
    name: 'the templates of a chart',
    files: { 'shop/templates/a/web.yaml': '{{ include "web" . }}\n' },
    run: /: run helm template \S+\/shop \| rwo-guard lint -$/,
  },
  {
    name: 'a kustomization',
    files: { 'prod/kustomization.yaml': 'resources: [https://example.com/base]\n' },
    run: /: run kustomize build \S+\/prod \| rwo-guard lint -$/,
  },
]) {
  test(`an input of nothing but ${name} ends with exit code 2, and with what to run`, async (t) => {
    const { code, printed } = await lintIn(await filesFor(t, files));
    assert.equal(code, 2);
    assert.match(printed.unreadable[0]?.because ?? '', run);
  });
}
