import type { Server } from 'node:https';
import type { SecureContextOptions } from 'node:tls';

/** A serving certificate with its key, both PEM. */
export interface ServingCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** What a TLS server needs to know of its certificates: the one in force, and when another takes its place. */
export interface ServingCertificates {
  current(): ServingCertificate;
  onChange(listener: (certificate: ServingCertificate) => void): void;
}

/** Every option has to be given again at each change: `setSecureContext` replaces them all. */
export function contextOf({ certificate, key }: ServingCertificate): SecureContextOptions {
  return { cert: certificate, key, minVersion: 'TLSv1.2' };
}

/**
 * New connections get the new certificate; those that are open go on with the old one. The source has checked that
 * key and certificate belong together, for Node would take an empty one and fail at every handshake.
 */
export function followCertificate(server: Server, certificates: ServingCertificates): void {
  certificates.onChange((certificate) => server.setSecureContext(contextOf(certificate)));
}
