import assert from 'node:assert/strict';
import { test } from 'node:test';
import packageJson from '../package.json' with { type: 'json' };
import { PROGRAM, start } from './program.ts';

for (const version of ['20.20.2', '22.18.0', '18.0.0']) {
  test(`Node ${version} is told in one line what is needed, with exit code 2`, async (t) => {
    const { code, stdout, stderr } = await start(t, ['serve'], [...onNode(version), PROGRAM]).ended;
    assert.deepEqual([code, stdout], [2, '']);
    assert.equal(stderr, `rwo-guard needs Node 22.19 or newer, and this is ${version}\n`);
  });
}

for (const version of ['22.19.0', '23.0.0', '26.10.0']) {
  test(`Node ${version} will do`, async (t) => {
    const { code } = await start(t, ['--version'], [...onNode(version), PROGRAM]).ended;
    assert.equal(code, 0);
  });
}

test('the version is that of the package', async (t) => {
  assert.equal((await start(t, ['--version']).ended).stdout, `${packageJson.version}\n`);
});

for (const { name, args, says } of [
  { name: 'no command', args: [], says: /Usage: rwo-guard/ },
  { name: 'a command that does not exist', args: ['judge'], says: /unknown command 'judge'/ },
  { name: 'an option that does not exist', args: ['serve', '--port', '1'], says: /unknown option '--port'/ },
  { name: 'an address that is none', args: ['serve', '--listen', '8443'], says: /listen must be HOST:PORT/ },
  { name: 'a configuration that is not there', args: ['serve', '--config', '/nowhere'], says: /must be a file/ },
  { name: 'a snapshot that is not there', args: ['serve', '--snapshot', '/nowhere'], says: /give a file or a folder/ },
  { name: 'a kubeconfig that is not there', args: ['serve', '--kubeconfig', '/nowhere'], says: /nowhere/ },
]) {
  test(`${name} is a usage error: exit code 2, and the reason on stderr without a stack`, async (t) => {
    const { code, stdout, stderr } = await start(t, args).ended;
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, says);
    assert.doesNotMatch(stderr, /^ {4}at /m);
  });
}

function onNode(version: string): readonly string[] {
  const versions = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;
  return ['--import', `data:text/javascript,${encodeURIComponent(versions)}`];
}
