import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/objects/json.ts';
import { podTemplateFrom } from '../../src/objects/pod-template.ts';

function ports(spec: JsonObject): readonly unknown[] {
  return podTemplateFrom({ spec }).hostPorts;
}

test('a host port has its protocol and address, which are TCP and every address where none is written', () => {
  const written = { hostPort: 53, protocol: 'UDP', hostIP: '10.0.0.1' };
  assert.deepEqual(ports({ containers: [{ ports: [{ hostPort: 80 }, written] }] }), [
    { port: 80, protocol: 'TCP', hostIP: '' },
    { port: 53, protocol: 'UDP', hostIP: '10.0.0.1' },
  ]);
});

test('a port of a container is one of the node only with hostNetwork', () => {
  const containers = [{ ports: [{ containerPort: 80 }, {}, { containerPort: 81, hostPort: 82 }] }];
  const numbers = (spec: JsonObject) => podTemplateFrom({ spec }).hostPorts.map(({ port }) => port);
  assert.deepEqual(numbers({ containers }), [82]);
  assert.deepEqual(numbers({ containers, hostNetwork: true }), [80, 82]);
});

test('an init container keeps its ports only as a sidecar', () => {
  const init = (name: string, restartPolicy: string) => ({ name, restartPolicy, ports: [{ hostPort: 80 }] });
  assert.equal(ports({ initContainers: [init('a', 'Always')] }).length, 1);
  assert.equal(ports({ initContainers: [init('a', 'Never'), { ports: [{ hostPort: 80 }] }] }).length, 0);
});
