import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentChecks } from '../../src/doctor/deployment-checks.ts';
import type { Deployment } from '../../src/doctor/installation.ts';
import { known, unknown } from '../../src/objects/fact.ts';
import { configurations, DEPLOYMENT, entry, installation, told } from './installations.ts';

const DESCRIBE = 'kubectl -n rwo-guard describe pods -l app.kubernetes.io/name=rwo-guard';
const SCALE = 'kubectl -n rwo-guard scale deployment/rwo-guard --replicas=2';
const NO_ENTRIES = [{ kind: 'ValidatingWebhookConfiguration', name: 'rwo-guard', found: known(undefined) }] as const;
const FAIL = configurations([entry('enforce.rwo-guard.dev', { failurePolicy: 'Fail' })]);

for (const { name, deployment, more = {}, says } of [
  {
    name: 'a Deployment without ready pods',
    deployment: { ready: 0 },
    says: [`problem: 0 of 2 replicas are ready: nothing is judged => ${DESCRIBE}`],
  },
  {
    name: 'a Deployment of which one pod is not ready',
    deployment: { ready: 1 },
    says: [`warning: 1 of 2 replicas are ready => ${DESCRIBE}`],
  },
  {
    name: 'a Deployment scaled to zero',
    deployment: { replicas: 0, ready: 0, updated: 0 },
    says: [`problem: the Deployment is scaled to 0: nothing is judged => ${SCALE}`],
  },
  {
    name: 'a single replica',
    deployment: { replicas: 1, ready: 1 },
    says: [`warning: 1 of 1 replicas are ready: nothing is judged while it restarts => ${SCALE}`],
  },
  {
    name: 'a single replica that writes wait for',
    deployment: { replicas: 1, ready: 1 },
    more: { configurations: FAIL },
    says: [
      `problem: 1 of 1 replicas are ready, and enforce.rwo-guard.dev refuses what it would be asked about while it restarts => ${SCALE}`,
    ],
  },
  {
    name: 'a rollout under way',
    deployment: { updated: 1 },
    says: [
      'warning: 1 of 2 replicas are of the newest template => kubectl rollout status -n rwo-guard deployment/rwo-guard',
    ],
  },
  {
    name: 'an image of another version',
    deployment: { image: 'registry.example:5000/rwo-guard:0.2.0@sha256:00' },
    says: [
      'warning: it runs image registry.example:5000/rwo-guard:0.2.0@sha256:00, and this is rwo-guard 0.1.0: rights and entries may differ => upgrade the server, or use rwo-guard 0.2.0',
    ],
  },
  { name: 'an image by its digest', deployment: { image: 'rwo-guard@sha256:00' }, says: [] },
  {
    name: 'a Service that leads nowhere',
    more: { service: known({ ready: known(0) }) },
    says: [
      'problem: Service rwo-guard/rwo-guard leads nowhere: no pod that it selects is ready => kubectl -n rwo-guard get pods -l app.kubernetes.io/name=rwo-guard -o wide',
    ],
  },
  {
    name: 'a Service that somebody deleted from a Helm release',
    deployment: { release: 'guard' },
    more: { service: known(undefined) },
    says: [
      'problem: Service rwo-guard/rwo-guard does not exist: no call arrives => ' +
        "helm -n rwo-guard rollback guard $(helm -n rwo-guard history guard --max 1 | tail -1 | awk '{print $1}')",
    ],
  },
  {
    name: 'an old API server',
    more: { clusterVersion: known('v1.29.4+k3s1') },
    says: [
      'problem: Kubernetes v1.29.4+k3s1 is too old: the webhooks need 1.30 => upgrade the control plane to 1.30 or newer',
    ],
  },
  {
    name: 'what may not be read',
    more: {
      deployment: unknown('Deployment rwo-guard/rwo-guard may not be read: permission missing'),
      settingsFrom: unknown('no ConfigMap of a Deployment names them'),
    },
    says: [
      'not-seen: settings of the server, defaults are assumed: no ConfigMap of a Deployment names them',
      'not-seen: Deployment rwo-guard/rwo-guard may not be read: permission missing',
    ],
  },
  {
    name: 'nothing installed at all',
    more: { deployment: known(undefined), service: known(undefined), configurations: NO_ENTRIES },
    says: [
      'problem: Deployment rwo-guard/rwo-guard does not exist: rwo-guard is not installed here => apply the manifests once more: kubectl apply -k my, or helm upgrade --install',
    ],
  },
  {
    name: 'configurations that are left over',
    more: { deployment: known(undefined), service: known(undefined) },
    says: [
      'problem: Deployment rwo-guard/rwo-guard does not exist, and its webhook configurations are left over => kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration rwo-guard',
    ],
  },
  {
    name: 'an installation in another namespace',
    more: {
      deployment: known(undefined),
      service: known(undefined),
      configurations: configurations([
        entry('enforce.rwo-guard.dev', { service: { namespace: 'guards', name: 'rwo-guard' } }),
      ]),
    },
    says: [
      'problem: Deployment rwo-guard/rwo-guard does not exist, and the webhooks call namespace guards => rwo-guard doctor -n guards',
    ],
  },
] satisfies readonly {
  readonly name: string;
  readonly deployment?: Partial<Deployment>;
  readonly more?: Parameters<typeof installation>[0];
  readonly says: readonly string[];
}[]) {
  test(`${name}: ${says.length === 0 ? 'nothing is told' : 'it is told with its remedy'}`, () => {
    const read = installation({ deployment: known({ ...DEPLOYMENT, ...deployment }), ...more });
    assert.deepEqual(told(deploymentChecks(read)), says);
  });
}

test('what an annotation says of a Helm release is one word of the command', () => {
  const read = installation({
    deployment: known({ ...DEPLOYMENT, release: "x'; rm -rf / #" }),
    service: known(undefined),
  });
  const [line] = told(deploymentChecks(read));
  assert.match(line ?? '', /rollback 'x'\\''; rm -rf \/ #' \$\(/);
});
