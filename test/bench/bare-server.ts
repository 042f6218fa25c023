/**
 * What every HTTPS webhook on Fastify costs at least: parses the same body and allows it. Takes the port's certificate
 * from node-forge as ours does, and says where it answers as ours does.
 */
import { writeFileSync } from 'node:fs';
import fastify from 'fastify';
import { startCertificates } from '../../certs/index.ts';

const [, , caFile = ''] = process.argv;
const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const certificates = startCertificates({ from: 'memory', names: ['127.0.0.1', 'localhost'], log: quiet });
certificates.onChange(async (certificate) => {
  writeFileSync(caFile, certificate.authorities);
  const app = fastify({ https: { key: certificate.key, cert: certificate.certificate }, keepAliveTimeout: 120_000 });
  app.post('/validate', ({ body }) => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: (body as { request: { uid: string } }).request.uid, allowed: true },
  }));
  const ready = { url: await app.listen({ host: '127.0.0.1', port: 0 }), msg: 'ready' };
  process.stderr.write(`${JSON.stringify(ready)}\n`);
});
