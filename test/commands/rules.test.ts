import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { printRules, type RulesOptions } from '../../src/commands/rules.ts';

async function printed(options: RulesOptions): Promise<{ code: number; stdout: string; stderr: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = printRules(options, { stdout, stderr });
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}

test('rules lists every rule with its severity', async () => {
  const { code, stdout } = await printed({});
  assert.equal(code, 0);
  assert.match(stdout, /^rollout-deadlock \(error\): .*\n/);
  assert.match(stdout, /^claim-unknown \(info\): .*\n/m);
});

test('rules ID prints what the rule says, its remedy and where to read on', async () => {
  const { code, stdout } = await printed({ id: 'rollout-deadlock' });
  assert.equal(code, 0);
  assert.match(stdout, /maxSurge: 0 and\s+maxUnavailable: 1.*https:\/\/kubernetes\.io/s);
  assert.match(stdout, /^## rollout-deadlock$/m);
});

test('rules ID shows manifests that the rule finds something in, and how they should be', async () => {
  const { stdout } = await printed({ id: 'rollout-transient' });
  assert.match(stdout, /^Bad:\n\n```yaml\napiVersion: .*maxSurge: 1.*^Good:\n\n```yaml\napiVersion: .*maxSurge: 0/ms);
});

test('rules ID of a rule that does not exist names those that do, with exit code 2', async () => {
  const { code, stdout, stderr } = await printed({ id: 'rolling-update' });
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /there is no rule "rolling-update"; the rules are rollout-deadlock, /);
});
