import assert from 'node:assert/strict';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { type ExplainOptions, explain } from '../../src/commands/explain.ts';
import { filesFor } from '../lint/linted.ts';
import { claim, deployment, written } from '../lint/manifests.ts';
import { start } from '../program.ts';

const BAD = written(claim(), deployment());
const GOOD = written(claim(), deployment({ strategy: { type: 'Recreate' } }));
const TWO_NAMESPACES = written(
  ...['shop', 'blog'].flatMap((namespace) => [claim({}, { namespace }), deployment({}, { namespace })]),
);

interface Given extends ExplainOptions {
  /** Beside the file; the files alone where nothing is said. */
  readonly choices?: readonly string[];
  readonly paths?: readonly string[];
  readonly stdin?: string;
}

async function explained(
  t: TestContext,
  manifests: string,
  { choices = [], paths, stdin = '', ...options }: Given = {},
) {
  const folder = await filesFor(t, { 'a.yaml': manifests });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const ended = explain([...(paths ?? [join(folder, 'a.yaml')]), ...choices], options, {
    ...{ env: {}, version: '1.0.0', stdout, stderr, workingDirectory: folder },
    stdin: Readable.from([Buffer.from(stdin)]),
    now: () => Date.parse('2026-11-01'),
  });
  const code = await ended.finally(() => {
    stdout.end();
    stderr.end();
  });
  const [out, err] = await printed;
  return { code, stdout: out.replaceAll(`${folder}/`, ''), stderr: err };
}

test('a finding is told from its beginning to its end, with what fixes it', async (t) => {
  const { code, stdout } = await explained(t, BAD);
  assert.equal(code, 0);
  assert.equal(
    stdout,
    `a.yaml
  9:1  Deployment web
    error  rollout-deadlock
      next rollout can hang (claim data on another node); assumed: claim data is
      a disk that attaches to one node (no storage class given)
      1. web-old runs on one node, with data attached there.
      2. At the next change of its template the Deployment creates web-new
         before an old pod goes, because maxSurge 25% of 1 replica rounds up to
         1.
      3. The scheduler binds web-new to another node, which passes all filters,
         as the first node does.
      4. web-new waits, because claim data is attached to the first node, where
         web-old uses it, and one node may have it at a time (Multi-Attach).
      5. The Deployment keeps its 1 pod available, because maxUnavailable 25% of
         1 replica rounds down to 0: web-old stays until web-new is ready.
      6. So the rollout waits for ever.
      to fix it: spec.strategy: {type: Recreate}
`,
  );
});

test('of what passes it is told why, and what would be found else', async (t) => {
  const { stdout } = await explained(t, GOOD);
  assert.match(stdout, /nothing is found, because strategy Recreate ends .* \(without it: .*,\s+rollout-deadlock\)\n/s);
  assert.match(stdout, /\n {4}and replicas is 1, .* \(without it: .*, replicas-split\)\n/s);
});

test('the JSON has one entry for each object, with its stories or what saves it', async (t) => {
  const [bad, good] = await Promise.all(
    [BAD, GOOD].map(async (manifests) => JSON.parse((await explained(t, manifests, { format: 'json' })).stdout)),
  );
  assert.deepEqual(Object.keys(bad), ['explained', 'unreadable']);
  const [{ resource, line, findings, savedBy }] = bad.explained;
  assert.deepEqual(resource, { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' });
  assert.deepEqual([line, savedBy, findings.length], [9, [], 1]);
  const [{ story, message, fix, ...finding }] = findings;
  assert.deepEqual(finding, { rule: 'rollout-deadlock', severity: 'error', ignored: false, shown: true });
  assert.equal(story.at(-1), 'So the rollout waits for ever.');
  assert.match(`${message}; ${fix}`, /next rollout can hang .*; spec\.strategy: \{type: Recreate\}/);
  assert.deepEqual(
    good.explained[0].savedBy.map(({ otherwise }: { otherwise: string }) => otherwise),
    ['rollout-deadlock', 'replicas-split'],
  );
});

for (const choice of ['deployment/web', 'deploy/web', 'Deployment/web', 'deployments/web']) {
  test(`${choice} chooses one object`, async (t) => {
    const { stdout } = await explained(t, `${BAD}---\n${written(deployment({}, { name: 'other' }))}`, {
      choices: [choice],
    });
    assert.match(stdout, /Deployment web/);
    assert.doesNotMatch(stdout, /:1 {2}Deployment other/);
  });
}

test('what is chosen is explained also where lint has nothing to judge', async (t) => {
  const plain = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'plain' }, spec: { template: {} } };
  assert.equal((await explained(t, written(plain))).stdout, '');
  const { stdout } = await explained(t, written(plain), { choices: ['deploy/plain'] });
  assert.match(stdout, /nothing is found, because its pods share no volume/);
});

test('a claim is explained where it is chosen, or its provisioner refuses it', async (t) => {
  const refused = written(claim({ accessModes: ['ReadWriteMany'], storageClassName: 'gp3' }));
  assert.match((await explained(t, refused)).stdout, /1\. Claim data asks for ReadWriteMany on ebs\.csi\.aws\.com\./);
  assert.equal((await explained(t, written(claim()))).stdout, '');
  assert.match((await explained(t, written(claim()), { choices: ['pvc/data'] })).stdout, /nothing tells that/);
});

test('what stands in several namespaces is explained in each, and a note tells how to choose', async (t) => {
  const both = await explained(t, TWO_NAMESPACES, { choices: ['deployment/web'] });
  assert.match(both.stdout, /Deployment shop\/web.*Deployment blog\/web/s);
  assert.match(both.stderr, /deployment\/web is in 2 namespaces, blog, shop: choose one by --namespace/);
  const one = await explained(t, TWO_NAMESPACES, { choices: ['deployment/web'], namespace: 'blog' });
  assert.doesNotMatch(one.stdout, /shop/);
  assert.equal(one.stderr, '');
});

test('a finding that somebody exempts is told, and said to be ignored', async (t) => {
  const annotations = { 'rwo-guard.dev/ignore': 'rollout-deadlock: we scale to zero first' };
  const { stdout } = await explained(t, written(claim(), deployment({}, { annotations })));
  assert.match(stdout, /rollout-deadlock \(ignored\)\n.*\n {6}1\. web-old runs/s);
});

test('- reads stdin', async (t) => {
  const { stdout } = await explained(t, '', { paths: ['-'], choices: ['deploy/web'], stdin: BAD });
  assert.match(stdout, /^<stdin>\n {2}9:1 {2}Deployment web\n/);
});

test('--nodes and --assume-attach count as for lint', async (t) => {
  assert.match((await explained(t, BAD, { nodes: '1' })).stdout, /nothing is found, because there is only one node/);
  assert.match((await explained(t, BAD, { assumeAttach: 'no' })).stdout, /claim data is not attached to nodes/);
});

test('what may come of a claim that is not there is told under what is not known', async (t) => {
  const { stdout } = await explained(t, written(deployment()));
  assert.match(
    stdout,
    /not judged {2}claim-unknown\n {6}claim default\/data is not in the input\n {6}1\. If claim data is a disk/,
  );
});

test('input that cannot be read is listed, with exit code 2, and the rest is explained', async (t) => {
  const { code, stdout } = await explained(t, `${BAD}---\napiVersion: v1\nkind: [\n`);
  assert.equal(code, 2);
  assert.match(stdout, /So the rollout waits for ever\..*a\.yaml:\d+: unreadable/s);
});

for (const { name, given, says } of [
  {
    name: 'an object that is not there',
    given: { choices: ['deploy/wen'] },
    says: /no deploy\/wen in the input; .* web/,
  },
  { name: 'a kind of which there is none', given: { choices: ['sts/web'] }, says: /nor any other StatefulSet/ },
  {
    name: 'a namespace in which it is not',
    given: { choices: ['deploy/web'], namespace: 'shop' },
    says: /no deploy\/web in namespace shop; it is in default/,
  },
  { name: 'no file', given: { paths: [], choices: ['deploy/web'] }, says: /name one, a folder or - for stdin/ },
  { name: 'a format that there is not', given: { format: 'sarif' }, says: /--format must be text or json/ },
]) {
  test(`${name} is a usage error`, async (t) => {
    await assert.rejects(explained(t, BAD, given), { code: 'USAGE', message: says });
  });
}

test('the program explains, and its help says how', async (t) => {
  const folder = await filesFor(t, { 'a.yaml': BAD });
  const { code, stdout } = await start(t, ['explain', join(folder, 'a.yaml'), 'deployment/web']).ended;
  assert.equal(code, 0);
  assert.match(stdout, /So the rollout waits for ever\./);
  const help = await start(t, ['explain', '--help']).ended;
  assert.match(help.stdout, /Usage: rwo-guard explain \[options\] <FILE\.\.\.> \[KIND\/NAME\]/);
  assert.equal((await start(t, ['explain']).ended).code, 2);
});
