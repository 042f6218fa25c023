/**
 * The little of the Kubernetes API that is needed here. What is expected is a value: not there is undefined, a race that
 * somebody else won is `lost`. Everything else rejects with a CertificatesError.
 */
export interface CertificatesApi {
  getSecret(name: ObjectName): Promise<StoredSecret | undefined>;
  /** Lost when the Secret exists already. */
  createSecret(name: ObjectName, data: SecretData): Promise<Write>;
  /** Replaces the data and nothing else; lost when the Secret has changed since this version, or is gone. */
  updateSecret(name: ObjectName, data: SecretData, resourceVersion: string): Promise<Write>;
  getConfiguration(name: WebhookConfigurationName): Promise<WebhookConfiguration | undefined>;
  /**
   * Sets the caBundle of these entries and touches nothing else. Lost when the configuration has changed since it was read,
   * or is gone: it is never created and no entry is ever added.
   */
  applyCaBundle(configuration: WebhookConfiguration, caBundle: string): Promise<Write>;
  /**
   * Milliseconds by which the API server's clock was ahead of this machine's at its last answer, negative where it was
   * behind. 0 before the first answer, and where they differ by no more than a minute.
   */
  clockAheadBy(): number;
}

export type Write = 'written' | 'lost';

export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** Decoded, so PEM where there is PEM. */
export type SecretData = Readonly<Record<string, string>>;

export interface StoredSecret {
  readonly data: SecretData;
  readonly resourceVersion: string;
}

export interface WebhookConfigurationName {
  readonly kind: 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration';
  readonly name: string;
}

export interface WebhookConfiguration extends WebhookConfigurationName {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly entries: readonly WebhookEntry[];
}

export interface WebhookEntry {
  readonly name: string;
  /** PEM, or whatever stands there instead; empty where nothing does. */
  readonly caBundle: string;
  /** Where the Service is that it calls; left out where it calls a URL. */
  readonly serviceNamespace?: string;
}
