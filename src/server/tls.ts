import type { Server, ServerOptions } from 'node:https';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import type { CertificateSource, ServingCertificate } from '../../certs/source.ts';

/** Who may connect at all. */
export interface ClientAuthentication {
  /** PEM; what a client's certificate has to verify with. */
  readonly authorities: string;
  /** Common names of clients that may connect; where there are none, every certificate of the authorities may. */
  readonly allowedNames: readonly string[];
}

/** What a server is made with: a client without a certificate of the right authority does not get as far as HTTP. */
export function clientAuthenticationOptions(required: ClientAuthentication | undefined): ServerOptions {
  return required === undefined ? {} : { requestCert: true, rejectUnauthorized: true };
}

/**
 * New connections get the new certificate; those that are open go on with the old one. The source has checked that
 * key and certificate belong together: Node would take an empty pair too, and fail at every handshake from then on.
 */
export function followCertificate(
  server: Server,
  certificates: Pick<CertificateSource, 'onChange'>,
  required?: ClientAuthentication,
): void {
  const unfollow = certificates.onChange((certificate) => server.setSecureContext(contextOf(certificate, required)));
  server.once('close', unfollow);
}

/** All that a context is made of, every time: `setSecureContext` forgets what it is not given again. */
function contextOf({ certificate, key }: ServingCertificate, required?: ClientAuthentication): SecureContextOptions {
  return { cert: certificate, key, minVersion: 'TLSv1.2', ...(required && { ca: required.authorities }) };
}

/** Closes connections of clients that have a certificate of the right authority and another name; `refused` hears the name. */
export function refuseOtherNames(
  server: Server,
  required: ClientAuthentication,
  refused: (name: string) => void,
): void {
  if (required.allowedNames.length === 0) return;
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    const name = commonNameOf(socket);
    if (required.allowedNames.includes(name)) return;
    socket.destroy();
    refused(name);
  });
}

function commonNameOf(socket: TLSSocket): string {
  return [socket.getPeerCertificate().subject?.CN ?? []].flat()[0] ?? '';
}
