import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesFor, lintIn } from './linted.ts';
import { KUBERNETES } from './trees/kubernetes.ts';
import { OTHERS } from './trees/others.ts';
import { RENDERED } from './trees/rendered.ts';
import { STORAGE } from './trees/storage.ts';
import { completed, type Tree } from './trees/tree.ts';

const TREES: readonly Tree[] = [...KUBERNETES, ...RENDERED, ...STORAGE, ...OTHERS];

for (const tree of TREES) {
  const { shape, code, notes, findings = [], open = [], unreadable = [] } = tree;
  test(`lint . of ${shape} ends with ${code}`, async (t) => {
    const folder = await filesFor(t, tree.files);
    await completed(folder, tree);
    const begun = process.cpuUsage();
    const run = await lintIn(folder, { fix: tree.fix ?? false });
    const { user, system } = process.cpuUsage(begun);
    const told = run.stderr.replaceAll(folder, '.').split('\n').slice(0, -1);
    const took = Math.round((user + system) / 1_000);
    t.diagnostic(`exit ${run.code}, ${took} ms of processor time${told.map((line) => `\n    ${line}`).join('')}`);
    assert.deepEqual(
      told,
      notes.map((note) => `rwo-guard: ${note}`),
    );
    const { printed } = run;
    assert.deepEqual(
      printed.findings.map(({ rule }) => rule),
      findings,
    );
    assert.deepEqual(
      printed.inconclusive.map(({ because }) => because),
      open,
    );
    assert.equal(printed.unreadable.length, unreadable.length, JSON.stringify(printed.unreadable));
    for (const [nth, { because }] of printed.unreadable.entries()) assert.match(because, unreadable[nth] ?? /^$/);
    assert.equal(run.code, code);
  });
}
