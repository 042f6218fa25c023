import { createPublicKey, sign } from 'node:crypto';
import { isIP } from 'node:net';
import forge from 'node-forge';

declare module 'node-forge' {
  namespace pki {
    /** Part of forge, and left out of its types. */
    function getTBSCertificate(certificate: Certificate): asn1.Asn1;
  }
}

/** A certificate and its private key, both PEM. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** What making a certificate takes. Nothing else goes in, so the same grant gives the same certificate. */
export interface Grant {
  /** The private key that the certificate is for, PKCS #8 in PEM. */
  readonly key: string;
  /** 16 random bytes. */
  readonly serial: Uint8Array;
  readonly now: Date;
  /** Milliseconds from now on. */
  readonly life: number;
}

export const SERIAL_BYTES = 16;

/**
 * Clocks disagree, so a certificate is valid from a little before it was made. An hour is more than nodes of one cluster
 * drift apart; the tenth of a life that is used where that is less keeps short ones from looking half over at birth.
 */
const MOST_BACKDATING = 60 * 60 * 1000;

/** A certificate authority that signs leaves and nothing else. */
export function makeAuthority(grant: Grant): Pair {
  const subject = [{ name: 'commonName', value: 'rwo-guard CA' }];
  const extensions = [
    { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
    { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
    { name: 'subjectKeyIdentifier' },
  ];
  const certificate = unsigned(grant, subject, validity(grant));
  certificate.setIssuer(subject);
  certificate.setExtensions(extensions);
  return { certificate: signed(certificate, grant.key), key: grant.key };
}

/** A certificate to serve under these DNS names and IP addresses, signed by the authority and never outliving it. */
export function signServing(authority: Pair, names: readonly string[], grant: Grant): Pair {
  const issuer = forge.pki.certificateFromPem(authority.certificate);
  // Fresh for every certificate: forge writes into the objects it is given and would repeat the first one's identifiers.
  const extensions = [
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames: names.map(alternativeName) },
    { name: 'subjectKeyIdentifier' },
    { name: 'authorityKeyIdentifier', keyIdentifier: issuer.generateSubjectKeyIdentifier().getBytes() },
  ];
  const within = overlap(validity(grant), issuer.validity);
  const certificate = unsigned(grant, [{ name: 'commonName', value: 'rwo-guard' }], within);
  certificate.setIssuer(issuer.subject.attributes);
  certificate.setExtensions(extensions);
  return { certificate: signed(certificate, authority.key), key: grant.key };
}

/** What the API server calls a Service by, and the longer name that everything else in the cluster may use. */
export function serviceNames(service: string, namespace: string, clusterDomain = 'cluster.local'): readonly string[] {
  return [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.${clusterDomain}`];
}

interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

function validity({ now, life }: Grant): Validity {
  const backdating = Math.min(MOST_BACKDATING, life / 10);
  return { notBefore: new Date(now.getTime() - backdating), notAfter: new Date(now.getTime() + life) };
}

function overlap(one: Validity, other: Validity): Validity {
  return {
    notBefore: new Date(Math.max(one.notBefore.getTime(), other.notBefore.getTime())),
    notAfter: new Date(Math.min(one.notAfter.getTime(), other.notAfter.getTime())),
  };
}

function unsigned(grant: Grant, subject: forge.pki.CertificateField[], { notBefore, notAfter }: Validity) {
  const certificate = forge.pki.createCertificate();
  const publicKey = createPublicKey(grant.key).export({ type: 'spki', format: 'pem' }).toString();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  certificate.serialNumber = serialNumber(grant.serial);
  certificate.validity.notBefore = notBefore;
  certificate.validity.notAfter = notAfter;
  certificate.setSubject(subject);
  return certificate;
}

/**
 * What forge's own `sign` does, but for the signature itself: forge computes it in JavaScript, which stops everything else
 * for 50 to 125 ms, and with SHA-1 unless told otherwise, which Go refuses.
 */
function signed(certificate: forge.pki.Certificate, authorityKey: string): string {
  const algorithm = forge.pki.oids.sha256WithRSAEncryption ?? '';
  certificate.signatureOid = certificate.siginfo.algorithmOid = algorithm;
  certificate.tbsCertificate = forge.pki.getTBSCertificate(certificate);
  const content = Buffer.from(forge.asn1.toDer(certificate.tbsCertificate).getBytes(), 'binary');
  certificate.signature = sign('sha256', content, authorityKey).toString('binary');
  return forge.pki.certificateToPem(certificate).replaceAll('\r\n', '\n');
}

/** The first byte from 0x01 to 0x7f: forge writes bytes as they are, and a high bit would make the number negative. */
function serialNumber(random: Uint8Array): string {
  const bytes = Buffer.from(random);
  bytes.writeUInt8(1 + (bytes.readUInt8(0) % 0x7f), 0);
  return bytes.toString('hex');
}

/** Types 2 and 7 of a GeneralName. An address written as a DNS name matches nothing. */
function alternativeName(name: string) {
  return isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name };
}
