import { generateKeyPairSync, randomBytes } from 'node:crypto';
import forge from 'node-forge';

/** A certificate and its private key, as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface ServingNames {
  readonly dns: readonly string[];
  readonly ips?: readonly string[];
}

/** Who a client is for the API server: the common name and the organizations of its certificate. */
export interface Identity {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** The authority of one control plane. Its certificates prove both that a server is ours and who a client is. */
export interface CertificateAuthority {
  readonly certificate: string;
  servingCertificate(names: ServingNames): KeyPair;
  clientCertificate(identity: Identity): KeyPair;
}

/** Longer than any test run, and so short that a leaked file is worth nothing. */
const LIFE_MS = 2 * 24 * 3600 * 1000;
const BACKDATED_MS = 3600 * 1000;

export function createCertificateAuthority(): CertificateAuthority {
  const name: forge.pki.CertificateField[] = [{ name: 'commonName', value: 'rwo-guard test control plane' }];
  const own = rsaKey();
  const certificate = unsigned(name, name, own.publicKey, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ]);
  certificate.sign(own.privateKey, forge.md.sha256.create());

  function issue(subject: forge.pki.CertificateField[], extensions: readonly object[]): KeyPair {
    const { publicKey, pem } = rsaKey();
    const issued = unsigned(subject, name, publicKey, [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
      ...extensions,
    ]);
    issued.sign(own.privateKey, forge.md.sha256.create());
    return { certificate: forge.pki.certificateToPem(issued), key: pem };
  }

  return {
    certificate: forge.pki.certificateToPem(certificate),
    servingCertificate({ dns, ips = [] }) {
      const altNames = [...dns.map((value) => ({ type: 2, value })), ...ips.map((ip) => ({ type: 7, ip }))];
      return issue(
        [{ name: 'commonName', value: 'serving' }],
        [
          { name: 'extKeyUsage', serverAuth: true },
          { name: 'subjectAltName', altNames },
        ],
      );
    },
    clientCertificate({ user, groups = [] }) {
      // UTF-8: user names may hold characters that forge's default string type cannot.
      const utf8 = forge.asn1.Type.UTF8 as unknown as forge.asn1.Class;
      const subject = [
        { name: 'commonName', value: user, valueTagClass: utf8 },
        ...groups.map((group) => ({ name: 'organizationName', value: group, valueTagClass: utf8 })),
      ];
      return issue(subject, [{ name: 'extKeyUsage', clientAuth: true }]);
    },
  };
}

/** The key with which the API server signs service account tokens. */
export function serviceAccountKey(): { readonly publicKey: string; readonly privateKey: string } {
  return rsaPem();
}

function unsigned(
  subject: forge.pki.CertificateField[],
  issuer: forge.pki.CertificateField[],
  publicKey: forge.pki.rsa.PublicKey,
  extensions: object[],
): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = publicKey;
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`; // the leading 01 keeps it positive
  certificate.validity.notBefore = new Date(Date.now() - BACKDATED_MS);
  certificate.validity.notAfter = new Date(Date.now() + LIFE_MS);
  certificate.setSubject(subject);
  certificate.setIssuer(issuer);
  certificate.setExtensions(extensions);
  return certificate;
}

/** Made by OpenSSL, used by forge: forge's own generation is slow. */
function rsaKey() {
  const { publicKey, privateKey } = rsaPem();
  return {
    publicKey: forge.pki.publicKeyFromPem(publicKey) as forge.pki.rsa.PublicKey,
    privateKey: forge.pki.privateKeyFromPem(privateKey) as forge.pki.rsa.PrivateKey,
    pem: privateKey,
  };
}

function rsaPem() {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}
