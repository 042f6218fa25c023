/*
 * pre-commit and GitHub clone the repository and run a script in it. Here the checkout is a folder with the same script
 * and a build of its own, and the workspace has the bad example of a rule.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { examples } from '../src/rules/examples.ts';
import { folderFor, start } from './program.ts';

const ROOT = join(import.meta.dirname, '..');
const ACTION = '.github/actions/lint';
const [hook] = parse(await readFile(join(ROOT, '.pre-commit-hooks.yaml'), 'utf8'));
const action = parse(await readFile(join(ROOT, ACTION, 'action.yml'), 'utf8'));

/** Folders of a checkout and of a workspace, in which `my apps/web.yaml` has an error. */
async function scene(t: TestContext): Promise<{ checkout: string; workspace: string }> {
  const [checkout, workspace] = await Promise.all([folderFor(t), folderFor(t)]);
  await cp(join(ROOT, ACTION), join(checkout, ACTION), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  await start(t, [join(checkout, 'dist')], [join(ROOT, 'test/build.ts')]).ended;
  await mkdir(join(workspace, 'my apps'));
  await writeFile(join(workspace, 'my apps/web.yaml'), examples['rollout-deadlock']?.bad ?? '');
  return { checkout, workspace };
}

async function run(cwd: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { code, stdout };
}

test('the pre-commit hook judges the folder that is committed to', async (t) => {
  const { checkout, workspace } = await scene(t);
  const [script, ...args] = hook.entry.split(' ');
  const { code, stdout } = await run(workspace, join(checkout, script), [...args, ...hook.args]);
  assert.equal(code, 1);
  assert.match(stdout, /my apps\/web\.yaml\n.*rollout-deadlock/);
});

test('the action annotates the lines to change, writes SARIF and fails the job', async (t) => {
  const { checkout, workspace } = await scene(t);
  const [step] = action.runs.steps;
  const { code, stdout } = await run(workspace, 'bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
    GITHUB_ACTION_PATH: join(checkout, ACTION),
    GITHUB_OUTPUT: join(workspace, 'output'),
    PATHS: 'my apps\n\n',
    FAIL_ON: action.inputs['fail-on'].default,
    SARIF_FILE: action.inputs['sarif-file'].default,
  });
  assert.equal(code, 1);
  assert.match(stdout, /^::error file=my apps\/web\.yaml,line=\d+,col=\d+,title=rollout-deadlock::/);
  assert.equal(await readFile(join(workspace, 'output'), 'utf8'), 'sarif-file=rwo-guard.sarif\n');
  const { runs } = JSON.parse(await readFile(join(workspace, 'rwo-guard.sarif'), 'utf8'));
  assert.equal(runs[0].results[0].ruleId, 'rollout-deadlock');
});

test('the action hands every input to its script as data', () => {
  const [step] = action.runs.steps;
  const handed = Object.values(step.env).join();
  for (const input of Object.keys(action.inputs)) assert.ok(handed.includes(`\${{ inputs.${input} }}`), input);
  assert.ok(!step.run.includes('${{'));
});
