import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import type { CoreV1Event, V1Node, V1Pod, V1VolumeAttachment } from '@kubernetes/client-node';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { machineAddress } from '../control-plane/network.ts';
import { until } from '../control-plane/until.ts';

const WORKLOAD = join(import.meta.dirname, 'control-plane.yaml');
const POD = { apiVersion: 'v1', kind: 'Pod' };

describe('the control plane', () => {
  let controlPlane: ControlPlane;
  let jane: string;

  before(async () => {
    controlPlane = await startControlPlane({ controllerManager: true, scheduler: true, kwok: true, auditLog: true });
    jane = await controlPlane.person({ user: 'jane', groups: ['developers'] });
  });
  after(() => controlPlane?.stop());

  /** What jane typed, which worked. */
  async function kubectl(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await controlPlane.kubectl(jane, args);
    assert.equal(code, 0, `kubectl ${args.join(' ')}\n${stderr}`);
    return stdout;
  }

  test('tells its version so that clients can parse it', async () => {
    const { serverVersion } = JSON.parse(await kubectl('version', '-o', 'json'));
    assert.equal(serverVersion.gitVersion, 'v1.36.3');
    assert.equal(serverVersion.minor, '36');
  });

  test('lets a person do what a role allows, and nothing else', async () => {
    assert.equal(await kubectl('auth', 'can-i', 'create', 'deployments.apps'), 'yes\n');
    const refused = await controlPlane.kubectl(jane, ['create', 'clusterrole', 'own', '--verb=*', '--resource=*']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /clusterroles\.rbac\.authorization\.k8s\.io is forbidden: User "jane" cannot create/);
  });

  test('detaches too late for a rolling Deployment whose new pod lands on another node', async () => {
    await kubectl('apply', '-f', WORKLOAD);
    await kubectl('rollout', 'status', 'deployment/app', '--timeout=30s');
    const [attachment] = await until('the volume to be attached', async () => {
      const attachments = await listAttachments();
      return attachments.some(({ status }) => status?.attached) && attachments;
    });
    const [pod] = await controlPlane.api.list<V1Pod>(POD, { namespace: 'default', labelSelector: 'app=app' });
    assert.equal(pod?.spec?.nodeName, attachment?.spec.nodeName);

    await kubectl('cordon', pod?.spec?.nodeName ?? '');
    await kubectl('rollout', 'restart', 'deployment/app');

    const event = await until('the Multi-Attach event', async () => {
      const fieldSelector = 'reason=FailedAttachVolume';
      const events = await controlPlane.api.list<CoreV1Event>({ apiVersion: 'v1', kind: 'Event' }, { fieldSelector });
      return events[0];
    });
    // The controller names the old pod while it is there, and says the second when it has just gone.
    const wordings = [
      `Multi-Attach error for volume "pv1" Volume is already used by pod(s) ${pod?.metadata?.name}`,
      `Multi-Attach error for volume "pv1" Volume is already exclusively attached to one node and can't be attached to another`,
    ];
    assert.ok(wordings.includes(event.message ?? ''), event.message);
    await until('the volume to follow the new pod', async () => {
      const [moved, ...others] = await listAttachments();
      return others.length === 0 && moved?.status?.attached && moved.spec.nodeName !== attachment?.spec.nodeName;
    });
  });

  test('lets every controller act under its own name', async () => {
    const events = await controlPlane.auditEvents();
    const whoCreated = (resource: string) =>
      events.find(({ verb, objectRef }) => verb === 'create' && objectRef?.resource === resource)?.user.username;
    assert.equal(whoCreated('deployments'), 'jane');
    assert.equal(whoCreated('replicasets'), 'system:serviceaccount:kube-system:deployment-controller');
    assert.equal(whoCreated('volumeattachments'), 'system:serviceaccount:kube-system:attachdetach-controller');
  });

  test('calls a webhook through its Service, at the replica that is ready', async () => {
    const reviews: { request: { uid: string; userInfo: { username: string } } }[] = [];
    const { certificate, key } = controlPlane.servingCertificate({ dns: ['echo.default.svc'] });
    const server = createServer({ cert: certificate, key }, async (request, response) => {
      const review = JSON.parse(await text(request));
      reviews.push(review);
      const answer = { uid: review.request.uid, allowed: true, warnings: [`seen by ${request.headers.host}`] };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
    }).listen(0, machineAddress());
    await once(server, 'listening');
    const address = server.address();
    const port = address instanceof Object ? address.port : 0;
    try {
      const service = { namespace: 'default', service: 'echo' };
      const gone = { port: 1, ready: false };
      await controlPlane.publishWebhookService({ ...service, endpoints: [gone, { port }] });
      await controlPlane.api.create(echoConfiguration(controlPlane.certificateAuthority));

      const warned = await until('the API server to call the webhook', async () => {
        const { code, stderr } = await controlPlane.kubectl(jane, [
          'create',
          'configmap',
          'called',
          '--dry-run=server',
        ]);
        return code === 0 && stderr;
      });
      assert.equal(warned, 'Warning: seen by echo.default.svc:443\n');
      assert.equal(reviews.at(-1)?.request.userInfo.username, 'jane');

      await controlPlane.publishWebhookService({ ...service, endpoints: [{ port, ready: false }] });
      // The API server looks for endpoints when it connects; over an open connection it goes on calling one that is not ready.
      server.closeAllConnections();
      await until('the API server to see that nobody is ready', async () => {
        const { stderr } = await controlPlane.kubectl(jane, ['create', 'configmap', 'called', '--dry-run=server']);
        return stderr.includes('no endpoints available for service "echo"');
      });
    } finally {
      await controlPlane.api.delete({ ...CONFIGURATION, name: 'echo' });
      server.close();
      server.closeAllConnections();
    }
  });

  test('gives service accounts tokens that expire', async () => {
    const { kubeconfig, token } = await controlPlane.serviceAccountKubeconfig('default', 'default');
    const whoami = await controlPlane.kubectl(kubeconfig, ['auth', 'whoami', '-o', 'json']);
    assert.equal(JSON.parse(whoami.stdout).status.userInfo.username, 'system:serviceaccount:default:default');
    const [, claims = ''] = (await readFile(token, 'utf8')).split('.');
    const { iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    assert.equal(exp - iat, 3600);
  });

  test('forgets history, falls silent and comes back where it was', async () => {
    const [node] = await controlPlane.api.list<V1Node>({ apiVersion: 'v1', kind: 'Node' });
    const watch = `/api/v1/nodes?watch=1&timeoutSeconds=1&resourceVersion=${node?.metadata?.resourceVersion}`;
    await kubectl('label', 'node', '--all', 'seen=yes');
    await controlPlane.compactEtcd();
    await controlPlane.restart('kube-apiserver');
    assert.match(await kubectl('get', '--raw', watch), /"code":410/);

    controlPlane.pause('kube-apiserver');
    const silent = await controlPlane.kubectl(jane, ['get', 'nodes'], { timeoutMs: 1_000 });
    assert.equal(silent.code, -1);
    controlPlane.resume('kube-apiserver');
    await kubectl('get', 'nodes');
  });

  async function listAttachments() {
    return controlPlane.api.list<V1VolumeAttachment>({ apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment' });
  }
});

const CONFIGURATION = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' };

function echoConfiguration(certificateAuthority: string) {
  return {
    ...CONFIGURATION,
    metadata: { name: 'echo' },
    webhooks: [
      {
        name: 'echo.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        clientConfig: {
          service: { namespace: 'default', name: 'echo', path: '/' },
          caBundle: Buffer.from(certificateAuthority).toString('base64'),
        },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
      },
    ],
  };
}
