import type { CertificatesApi, ObjectName, WebhookConfigurationName } from './certificates-api.ts';
import type { Lifetimes } from './issuance.ts';
import type { World } from './world.ts';

/** Where certificates come from. */
export type CertificateOptions = SecretOptions | FileOptions | MemoryOptions;

/** Made here and kept in a Secret that all replicas share; what callers trust is kept right by every one of them. */
export interface SecretOptions extends Dependencies {
  readonly from: 'secret';
  readonly api: CertificatesApi;
  readonly secret: ObjectName;
  /** The configurations whose caBundle is ours to set. One that does not exist is left alone until it does. */
  readonly configurations: readonly WebhookConfigurationName[];
  /** DNS names and IP addresses that callers use. */
  readonly names: readonly string[];
  readonly lifetimes?: Lifetimes;
}

/** Mounted by somebody else, cert-manager for one, who also sets caBundle; read again whenever they change. */
export interface FileOptions extends Dependencies {
  readonly from: 'files';
  readonly certificateFile: string;
  readonly keyFile: string;
  /** What clients have to trust, where it is mounted too; a file that is missing says nothing. */
  readonly authoritiesFile?: string;
  /** The names that callers use; a certificate that lacks one of them is not served. */
  readonly names: readonly string[];
  /** Read, and never written: readiness waits until their caBundle verifies the certificate. */
  readonly callers?: { readonly api: CertificatesApi; readonly configurations: readonly WebhookConfigurationName[] };
}

/** Made here and kept nowhere: for a server without a cluster. */
export interface MemoryOptions extends Dependencies {
  readonly from: 'memory';
  readonly names: readonly string[];
  readonly lifetimes?: Lifetimes;
}

export interface Dependencies {
  readonly log: Logger;
  /** The real one where it is left out. */
  readonly world?: World;
}

/** The part of pino that is used here. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
