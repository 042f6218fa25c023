import { hostname } from 'node:os';
import { join } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Logger } from 'pino';
import {
  type CertificateSource,
  type CertificatesApi,
  kubernetesApi,
  serviceNames,
  startCertificates,
  type WebhookConfigurationName,
} from '../../certs/index.ts';
import type { Config } from '../config.ts';
import type { CertificateState } from '../metrics.ts';

/** Certificates for the Service's names, from where the configuration says. */
export function clusterCertificates(config: Config, kubeConfig: KubeConfig, log: Logger): CertificateSource {
  return startCertificates({ ...certificatesOf(config, kubernetesApi(kubeConfig)), log });
}

/** Where the certificates of an installation are, and who has to trust them. */
export function certificatesOf({ service, certificates, webhookConfigurations }: Config, api: CertificatesApi) {
  const names = serviceNames(service.name, service.namespace);
  const configurations: readonly WebhookConfigurationName[] = [
    ...webhookConfigurations.validating.map((name) => ({ kind: 'ValidatingWebhookConfiguration', name }) as const),
    ...webhookConfigurations.mutating.map((name) => ({ kind: 'MutatingWebhookConfiguration', name }) as const),
  ];
  switch (certificates.source) {
    case 'secret': {
      const secret = { namespace: service.namespace, name: certificates.secretName };
      return { from: 'secret', api, secret, configurations, names } as const;
    }
    case 'files':
      return {
        from: 'files',
        certificateFile: join(certificates.directory, 'tls.crt'),
        keyFile: join(certificates.directory, 'tls.key'),
        authoritiesFile: join(certificates.directory, 'ca.crt'),
        // The one name that the API server asks for: whoever mounts certificates need not know any other.
        names: names.slice(0, 1),
        callers: { api, configurations },
      } as const;
    default:
      return certificates.source satisfies never;
  }
}

/** A certificate for this machine's names and the host that is listened at, kept nowhere. */
export function localCertificates({ service }: Config, host: string, log: Logger): CertificateSource {
  const own = ['localhost', '127.0.0.1', '::1', hostname(), host];
  const names = new Set([...own, ...serviceNames(service.name, service.namespace)]);
  return startCertificates({ from: 'memory', names: [...names], log });
}

/** The source in the words of the metrics. */
export function certificateState(certificates: CertificateSource): CertificateState {
  const { state } = certificates.caBundle();
  const caBundleInSync = state === 'in-sync' ? true : state === 'out-of-sync' ? false : undefined;
  return { expires: certificates.current()?.notAfter, caBundleInSync };
}
