import type { CertificatesApi, StoredSecret } from './certificates-api.ts';
import { fileSource } from './file-source.ts';
import type { CertificateOptions, MemoryOptions } from './options.ts';
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
export type { Lifetimes } from './issuance.ts';
export { kubernetesApi } from './kubernetes-api.ts';
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

/** The same as in a Secret, renewal included, with a Secret that nobody else has and no configurations. */
function memorySource(options: MemoryOptions): CertificateSource {
  const secret = { namespace: 'memory', name: 'serving-certificate' };
  return secretSource({ ...options, from: 'secret', api: memoryApi(), secret, configurations: [] });
}

function memoryApi(): CertificatesApi {
  let stored: StoredSecret | undefined;
  const write = async (data: StoredSecret['data']) => {
    stored = { data, resourceVersion: '' };
    return 'written' as const;
  };
  return {
    getSecret: async () => stored,
    createSecret: (_, data) => write(data),
    updateSecret: (_, data) => write(data),
    getConfiguration: async () => undefined,
    applyCaBundle: async () => 'lost',
    clockAheadBy: () => 0,
  };
}
