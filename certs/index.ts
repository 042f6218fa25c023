import { fileSource } from './file-source.ts';
import { memorySource } from './memory-source.ts';
import type { CertificateOptions } from './options.ts';
import { secretSource } from './secret-source.ts';
import type { CertificateSource } from './source.ts';

export { serviceNames } from './authority.ts';
export type {
  CertificatesApi,
  ObjectName,
  SecretData,
  StoredSecret,
  WebhookConfiguration,
  WebhookConfigurationName,
  WebhookEntry,
  Write,
} from './certificates-api.ts';
export { CertificatesError, type CertificatesErrorCode } from './certificates-error.ts';
export { kubernetesApi } from './kubernetes-api.ts';
export type { Lives } from './lives.ts';
export type { CertificateOptions, FileOptions, Logger, MemoryOptions, SecretOptions } from './options.ts';
export { type RotationRequest, requestRotation } from './rotation-request.ts';
export type { CaBundle, CertificateSource, Readiness, ServingCertificate } from './source.ts';
export { type CertificateStatus, certificateStatus, type StatusOptions } from './status.ts';
export type { World } from './world.ts';

/** Begins to look after certificates at once; `stop` ends it. */
export function startCertificates(options: CertificateOptions): CertificateSource {
  switch (options.from) {
    case 'secret':
      return secretSource(options);
    case 'files':
      return fileSource(options);
    case 'memory':
      return memorySource(options);
    default:
      return options satisfies never;
  }
}
