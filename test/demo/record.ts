/**
 * Records what the demo replays: a person types the scenarios at a real API server, which asks a server of ours through
 * a recorder. Run it with `npm run demo:record` after a change to the scenarios or to what we answer.
 */
import { once } from 'node:events';
import { createServer } from 'node:https';
import { json } from 'node:stream/consumers';
import { createCertificateAuthority } from '../control-plane/certificate-authority.ts';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { until } from '../control-plane/until.ts';
import { giveEntriesTheirOwnPaths, KUSTOMIZATION, kubectl } from '../e2e/installation.ts';
import { startGuard } from './guard.ts';
import { CLUSTER, MANIFESTS, pathOf, type RecordedReview, writeRecording } from './recording.ts';
import { SCENARIOS } from './scenarios.ts';

const guard = await startGuard();
const authority = createCertificateAuthority();
const reviews: RecordedReview[] = [];
const { certificate, key } = authority.servingCertificate({ dns: ['rwo-guard.rwo-guard.svc'], ips: [] });
const recorder = createServer({ cert: certificate, key }, async (message, answer) => {
  const [entry = ''] = (message.url ?? '').slice(1).split('?');
  const body = (await json(message)) as RecordedReview['body'];
  reviews.push({ entry, body });
  const response = await guard.review(pathOf(entry), body);
  answer.setHeader('content-type', 'application/json');
  answer.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }));
});
recorder.listen(0);
await once(recorder, 'listening');
const address = recorder.address();
if (address === null || typeof address === 'string') throw new Error('the recorder has no port');

const cluster = await startControlPlane();
await kubectl(cluster, 'apply', '-f', `${CLUSTER}/namespaces.yaml`);
await kubectl(cluster, 'apply', '-f', CLUSTER);
await kubectl(cluster, 'apply', '-k', KUSTOMIZATION);
await giveEntriesTheirOwnPaths(cluster.api, authority.certificate);
const endpoints = [{ port: address.port }];
await cluster.publishWebhookService({ namespace: 'rwo-guard', service: 'rwo-guard', endpoints });
const jane = await cluster.person({ user: 'jane', groups: ['developers'] });

const probe = ['apply', '--dry-run=server', '-f', `${MANIFESTS}/07-recreate.yaml`];
await until('both kinds of webhook are in force', async () => {
  reviews.length = 0;
  await cluster.kubectl(jane, probe);
  return reviews.length === 2;
});

for (const { id, kubectl: args } of SCENARIOS) {
  reviews.length = 0;
  const { stdout, stderr } = await cluster.kubectl(jane, args, { cwd: MANIFESTS });
  await writeRecording(id, { reviews: [...reviews], stdout, stderr });
  process.stderr.write(`${id}\n${stderr}${stdout}`);
}

await cluster.stop();
await guard.stop();
recorder.close();
recorder.closeAllConnections();
