import { once } from 'node:events';
import { createServer } from 'node:https';
import { json } from 'node:stream/consumers';
import type { KeyPair } from '../control-plane/certificate-authority.ts';

/** One review that arrived, and at which entry. */
export interface Arrival {
  readonly entry: string;
  readonly operation: string;
  /** With its subresource, as rules write it. */
  readonly resource: string;
  readonly object: string;
  readonly user: string;
}

export interface AdmissionRecorder {
  readonly port: number;
  /** What arrived since it was last asked. */
  take(): readonly Arrival[];
  close(): void;
}

interface Review {
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly resource: { readonly resource: string };
    readonly subResource?: string;
    readonly userInfo: { readonly username?: string };
  };
}

/** Allows everything and writes down what it was asked. The path is the entry's name: nothing in a review tells it. */
export async function recordAdmission({ certificate, key }: KeyPair): Promise<AdmissionRecorder> {
  let arrivals: Arrival[] = [];
  const server = createServer({ cert: certificate, key }, async (message, answer) => {
    const { request } = (await json(message)) as Review;
    arrivals.push(arrivalOf(message.url ?? '', request));
    answer.setHeader('content-type', 'application/json');
    const response = { uid: request.uid, allowed: true };
    answer.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }));
  });
  server.listen(0);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The recorder has no port');
  return {
    port: address.port,
    take() {
      const taken = arrivals;
      arrivals = [];
      return taken;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function arrivalOf(path: string, { operation, namespace, name, resource, subResource, userInfo }: Review['request']) {
  const [entry = ''] = path.slice(1).split('?');
  return {
    entry,
    operation,
    resource: subResource ? `${resource.resource}/${subResource}` : resource.resource,
    object: `${namespace ?? ''}/${name ?? ''}`,
    user: userInfo.username ?? '',
  };
}
