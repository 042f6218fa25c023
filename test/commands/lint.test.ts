import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { print } from '../../src/lint/output.ts';
import { progressOn } from '../../src/lint/progress.ts';
import { filesFor, lintIn, lintText } from '../lint/linted.ts';
import { claim, deployment, written } from '../lint/manifests.ts';
import { MAIN, start } from '../program.ts';

const BAD = written(claim(), deployment());
const OTHER = written(
  claim({}, { name: 'logs' }),
  deployment({}, { name: 'job' }, { volumes: [{ name: 'logs', persistentVolumeClaim: { claimName: 'logs' } }] }),
);
const WARNING = written(claim(), deployment({ strategy: { rollingUpdate: { maxUnavailable: 1 } } }));
const OPEN = written(deployment());
const CLEAN = written(claim(), deployment({ strategy: { type: 'Recreate' } }));
const BROKEN = 'apiVersion: v1\nkind: [\n';

for (const { manifest, failOn, code } of [
  { manifest: CLEAN, failOn: 'info', code: 0 },
  { manifest: BAD, failOn: undefined, code: 1 },
  { manifest: BAD, failOn: 'info', code: 1 },
  { manifest: BAD, failOn: 'never', code: 0 },
  { manifest: WARNING, failOn: undefined, code: 0 },
  { manifest: WARNING, failOn: 'warning', code: 1 },
  { manifest: OPEN, failOn: 'warning', code: 0 },
  { manifest: OPEN, failOn: 'info', code: 1 },
  { manifest: BROKEN, failOn: 'never', code: 2 },
]) {
  const names = new Map([
    [BAD, 'an error'],
    [WARNING, 'a warning'],
    [OPEN, 'an open question'],
    [BROKEN, 'no YAML'],
  ]);
  test(`${names.get(manifest) ?? 'nothing'} with --fail-on ${failOn ?? '(none)'} is exit code ${code}`, async (t) => {
    assert.equal((await lintText(t, manifest, failOn === undefined ? {} : { failOn })).code, code);
  });
}

test('the JSON is one document of four parts, each finding with what people and programs need', async (t) => {
  const { stdout } = await lintText(t, BAD);
  const document = JSON.parse(stdout);
  assert.deepEqual(Object.keys(document), ['findings', 'inconclusive', 'unreadable', 'summary']);
  const { message, fix, or, remedy, file, fingerprint, ...finding } = document.findings[0];
  assert.deepEqual(finding, {
    rule: 'rollout-deadlock',
    severity: 'error',
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' },
    claims: ['data'],
    line: 13,
    column: 1,
    related: [{ file, line: 6, column: 3, message: 'claim data, ReadWriteOnce' }],
  });
  assert.match(message, /^its next rollout can hang for ever: .*; assumed: claim data is a disk /);
  assert.equal(fix, 'spec.strategy: {type: Recreate}');
  assert.match(or, /maxSurge: 0/);
  assert.match(remedy, /maxSurge: 0/);
  assert.match(fingerprint, /^[0-9a-f]{32}$/);
  assert.deepEqual(document.summary, {
    ...{ objects: 2, workloads: 1, error: 1, warning: 0, info: 0, ignored: 0, inconclusive: 0 },
  });
});

test('the text names each file once, and ends with a summary', async (t) => {
  const folder = await filesFor(t, {
    'a.yaml': BAD,
    'b.yaml': OTHER,
  });
  const { stdout } = await lintIn(folder, { format: ['text'] });
  assert.equal(stdout.match(/^\S*a\.yaml$/gm)?.length, 1);
  assert.match(
    stdout,
    / {2}13:1 {2}error {2}rollout-deadlock {2}Deployment web\n {8}Its next rollout can hang for ever: /,
  );
  assert.match(stdout, /\n2 errors, 0 warnings in 4 objects, 2 workloads\n$/);
});

test('text has colour where a terminal shows it, and neither --no-color nor NO_COLOR forbids it', async (t) => {
  const folder = await filesFor(t, { 'a.yaml': BAD });
  const onTerminal = { format: ['text'], isTTY: true };
  assert.ok((await lintIn(folder, onTerminal)).stdout.includes('\x1b[31merror'));
  for (const given of [
    { ...onTerminal, isTTY: false },
    { ...onTerminal, color: false },
    { ...onTerminal, env: { NO_COLOR: '1' } },
  ]) {
    assert.ok(!(await lintIn(folder, given)).stdout.includes('\x1b'), JSON.stringify(given));
  }
});

test('several formats go to a file each, and the last to stdout', async (t) => {
  const folder = await filesFor(t, { 'a.yaml': BAD });
  const file = (name: string): string => join(folder, name);
  const { stdout } = await lintIn(folder, {
    format: ['sarif', 'junit', 'json', 'github'],
    output: [file('a.sarif'), file('a.xml'), file('a.json')],
  });
  assert.match(stdout, /^::error /);
  assert.equal(JSON.parse(await readFile(file('a.sarif'), 'utf8')).version, '2.1.0');
  assert.match(await readFile(file('a.xml'), 'utf8'), /^<\?xml/);
  assert.equal(JSON.parse(await readFile(file('a.json'), 'utf8')).findings.length, 1);
});

test('the text names a namespace where the manifest does', async (t) => {
  for (const [metadata, named] of [
    [{}, 'Deployment web'],
    [{ namespace: 'shop' }, 'Deployment shop/web'],
  ] as const) {
    for (const manifest of [written(deployment({}, metadata)), written(claim(), deployment({}, metadata))]) {
      const { stdout } = await lintText(t, manifest, { format: ['text'] });
      assert.ok(stdout.includes(`  ${named}\n`), stdout);
    }
  }
});

test('a number of nodes that cannot be is one problem', async (t) => {
  for (const [nodes, shown] of [
    ['0', '0'],
    ['true', 'true'],
    ["''", '""'],
  ] as const) {
    const folder = await filesFor(t, { '.rwo-guard.yaml': `nodes: ${nodes}\n`, 'a.yaml': BAD });
    await assert.rejects(lintIn(folder), {
      message: `${folder}/.rwo-guard.yaml: nodes must be a number of nodes of at least 1, or a file with Node objects, not ${shown}`,
    });
  }
});

for (const [name, given, says] of [
  ['a format that is none', { format: ['yaml'] }, /--format must be one of text, json/],
  ['two formats for stdout', { format: ['text', 'json'] }, /only one format can go to stdout/],
  ['a file without a format', { format: ['text'], output: ['a', 'b'] }, /more --output than --format/],
  ['two formats in one file', { format: ['json', 'sarif'], output: ['a', 'a'] }, /--output a is given twice/],
  [
    'a format beside a diff',
    { format: ['sarif'], diff: true },
    /--diff prints the change to stdout: give --format sarif/,
  ],
  ['a severity that is none', { failOn: 'fatal' }, /--fail-on must be error, warning, info or never, not fatal/],
  ['a mode that is none', { assumeAccessMode: 'RW' }, /--assume-access-mode must be ReadWriteOnce/],
  ['an answer that is none', { assumeAttach: 'maybe' }, /--assume-attach must be yes, no or unknown/],
  ['no configuration where one is named', { config: '/nowhere.yaml' }, /\/nowhere\.yaml: it cannot be read/],
  ['a file that cannot be written', { format: ['json'], output: ['/nowhere/a.json'] }, /cannot be written/],
] as const) {
  test(`${name} is a usage error`, async (t) => {
    const options = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, value]));
    await assert.rejects(lintText(t, BAD, options), says);
  });
}

test('progress is told on a terminal, after a second and not before, and goes away', async () => {
  for (const { isTTY, told } of [
    { isTTY: true, told: '\r\x1b[Kread 2 of 3 files\r\x1b[K' },
    { isTTY: false, told: '' },
  ]) {
    const terminal = Object.assign(new PassThrough(), { isTTY });
    let now = 0;
    const progress = progressOn(terminal, () => now);
    for (const [done, at] of [
      [1, 999],
      [2, 1_000],
      [3, 1_050],
    ] as const) {
      now = at;
      progress.files(done, 3);
    }
    progress.done();
    terminal.end();
    assert.equal(await text(terminal), told);
  }
});

test('findings are all that there is on stdout, and exit code and stderr are those of the program', async (t) => {
  const folder = await filesFor(t, { 'a.yaml': BAD, 'values.yaml': 'a: 1\n' });
  const { code, stdout, stderr } = await start(t, ['lint', folder, '--format', 'json']).ended;
  assert.equal(code, 1);
  assert.equal(JSON.parse(stdout).summary.error, 1);
  assert.match(stderr, /^rwo-guard: skipped .*values\.yaml: values of a chart/);
});

test('no name of a file or of an object does anything to a terminal', async (t) => {
  const name = 'web\u001b[2K\u009b1m\u202e';
  const folder = await filesFor(t, {
    [`a${name}/values.yaml`]: 'a: 1\n',
    [`b${name}.yaml`]: written(claim(), deployment({}, { name })),
    'c.yaml': `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: x }\nspec: ${JSON.stringify(name)}\n`,
  });
  const runs = [['lint'], ['explain']].map((command) => start(t, [...command, folder]).ended);
  const missing = start(t, ['explain', folder, `deploy/${name}`]).ended;
  for (const { stdout, stderr } of await Promise.all([...runs, missing])) {
    assert.doesNotMatch(stdout + stderr, /[^\P{C}\n]/u);
    assert.notEqual(stdout + stderr, '');
  }
});

test('whoever reads no further is no error, and any other trouble with stdout is one', async () => {
  const failing = (code: string): Writable =>
    new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });
  await print(failing('EPIPE'), 'findings');
  await assert.rejects(print(failing('ENOSPC'), 'findings'), { code: 'ENOSPC' });
});

test('lint loads neither undici nor the Kubernetes client', async (t) => {
  const folder = await filesFor(t, { 'a.yaml': BAD, '.rwo-guard.yaml': '' });
  const listing = `
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });`;
  const program = ['--import', `data:text/javascript,${encodeURIComponent(listing)}`, MAIN];
  const { stderr } = await start(t, ['lint', folder], program).ended;
  assert.match(stderr, /node_modules\/yaml\//);
  assert.doesNotMatch(stderr, /node_modules\/(undici|@kubernetes\/client-node|fastify|pino|ajv)\//);
});

test('--explain tells how a finding comes about, in every format', async (t) => {
  const folder = await filesFor(t, { 'a.yaml': BAD });
  const asText = (format: string) => lintIn(folder, { explain: true, format: [format] });
  const end = 'So the rollout waits for ever.';
  const [json, sarif, ...others] = await Promise.all(['json', 'sarif', 'text', 'junit', 'github'].map(asText));
  assert.equal(JSON.parse(json?.stdout ?? '').findings[0].story.at(-1), end);
  const [{ threadFlows }] = JSON.parse(sarif?.stdout ?? '').runs[0].results[0].codeFlows;
  assert.equal(threadFlows[0].locations.at(-1).location.message.text, end);
  for (const { stdout } of others) assert.ok(stdout.includes(end), stdout);
});

test('without --explain no story is told', async (t) => {
  const { stdout } = await lintText(t, BAD);
  assert.doesNotMatch(stdout, /story/);
});

test('what stayed open is explained by what may come of it', async (t) => {
  const { stdout } = await lintText(t, OPEN, { explain: true });
  assert.match(JSON.parse(stdout).inconclusive[0].story[0], /^If claim data is a disk for one node at a time/);
});
