import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { NOTHING_REUSABLE, toSecretData } from '../../certs/bundle.ts';
import { DEFAULT_LIFETIMES, issueBundle } from '../../certs/issuance.ts';
import { realWorld } from '../../certs/world.ts';
import { folderFor, start } from '../program.ts';
import { emptyCluster } from './empty-cluster.ts';

test('certs status tells what is missing, in text and in JSON, with exit code 1', async (t) => {
  const { kubeconfig } = await emptyCluster(t);
  const text = await start(t, ['certs', 'status', '--kubeconfig', kubeconfig, '-n', 'guards']).ended;
  assert.equal(text.code, 1);
  assert.equal(
    text.stdout,
    [
      'rotation     none under way',
      'problem      Secret guards/rwo-guard-tls does not exist: rwo-guard is not installed in this namespace',
      'problem      no webhook configuration exists, so nobody asks the server: apply the manifests',
      '',
    ].join('\n'),
  );
  const json = await start(t, ['certs', 'status', '--kubeconfig', kubeconfig, '--format', 'json']).ended;
  const { good, problems, caBundles } = JSON.parse(json.stdout);
  assert.deepEqual([json.code, good, problems.length, caBundles], [1, false, 2, []]);
});

test('certs status reads mounted certificates where the settings say so', async (t) => {
  const { kubeconfig } = await emptyCluster(t);
  const { settings, folder } = await mounted(t);
  const names = ['rwo-guard.rwo-guard.svc'];
  const data = toSecretData(await issueBundle(NOTHING_REUSABLE, names, DEFAULT_LIFETIMES, realWorld));
  for (const file of ['tls.crt', 'tls.key']) await writeFile(join(folder, file), data[file] ?? '');
  const { stdout } = await start(t, ['certs', 'status', '--kubeconfig', kubeconfig, '--config', settings]).ended;
  assert.match(stdout, /^certificate {2}valid until \S+, for rwo-guard\.rwo-guard\.svc\n/);
});

test('certs rotate where no server ever ran has nothing to rotate, with exit code 1', async (t) => {
  const { kubeconfig } = await emptyCluster(t);
  const { code, stderr } = await start(t, ['certs', 'rotate', '--kubeconfig', kubeconfig]).ended;
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^rwo-guard: Secret rwo-guard\/rwo-guard-tls does not exist: use -n if .*; mounted certificates .* whoever issues them\n$/,
  );
});

test('certs of an API server that is away say so in a line, with exit code 1', async (t) => {
  const { kubeconfig, close } = await emptyCluster(t);
  close();
  for (const command of ['status', 'rotate']) {
    const { code, stderr } = await start(t, ['certs', command, '--kubeconfig', kubeconfig]).ended;
    assert.equal(code, 1);
    assert.match(stderr, /^rwo-guard: could not get \S+ \S+: check that the API server can be reached\n$/);
  }
});

test('certs told something that cannot be done say what, with exit code 2', async (t) => {
  const { kubeconfig } = await emptyCluster(t);
  const { settings } = await mounted(t);
  const wrong = [
    { args: ['status', '--format', 'yaml'], says: /--format must be text or json, not yaml/ },
    { args: ['rotate', '--timeout', 'soon'], says: /--timeout must be a number of seconds, not soon/ },
    { args: ['rotate', '--config', settings], says: /the certificates are mounted: whoever mounts them rotates them/ },
    { args: ['status', '--distrust-old'], says: /unknown option/ },
    { args: [], says: /Usage: rwo-guard certs/ },
  ];
  for (const { args, says } of wrong) {
    const { code, stderr } = await start(t, [
      'certs',
      ...args,
      ...(args.length > 0 ? ['--kubeconfig', kubeconfig] : []),
    ]).ended;
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, says);
  }
});

async function mounted(t: TestContext): Promise<{ readonly settings: string; readonly folder: string }> {
  const folder = await folderFor(t);
  const settings = join(folder, 'config.yaml');
  await writeFile(settings, `certificates: { source: files, directory: ${folder} }\n`);
  return { settings, folder };
}
