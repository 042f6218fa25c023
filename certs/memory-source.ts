import type { CertificatesApi, StoredSecret } from './certificates-api.ts';
import type { MemoryOptions } from './options.ts';
import { secretSource } from './secret-source.ts';
import type { CertificateSource } from './source.ts';

/** The same as in a Secret, renewal included, with a Secret that nobody else has and no configurations. */
export function memorySource(options: MemoryOptions): CertificateSource {
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
