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
export type { Lives } from './lives.ts';
export type { CertificateOptions, FileOptions, Logger, MemoryOptions, SecretOptions } from './options.ts';
export type { CaBundle, CertificateSource, Readiness, ServingCertificate } from './source.ts';
export type { World } from './world.ts';
