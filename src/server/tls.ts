import type { Server } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import type { CertificateSource, ServingCertificate } from '../../certs/source.ts';

/**
 * New connections get the new certificate; those that are open go on with the old one. The source has checked that
 * key and certificate belong together: Node would take an empty pair too, and fail at every handshake from then on.
 */
export function followCertificate(server: Server, certificates: Pick<CertificateSource, 'onChange'>): void {
  const unfollow = certificates.onChange((certificate) => server.setSecureContext(contextOf(certificate)));
  server.once('close', unfollow);
}

/** All that a context is made of, every time: `setSecureContext` forgets what it is not given again. */
function contextOf({ certificate, key }: ServingCertificate): SecureContextOptions {
  return { cert: certificate, key, minVersion: 'TLSv1.2' };
}
