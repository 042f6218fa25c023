import { setImmediate } from 'node:timers/promises';
import type {
  CertificatesApi,
  SecretData,
  StoredSecret,
  WebhookConfiguration,
  WebhookConfigurationName,
  Write,
} from '../../certs/certificates-api.ts';
import { CertificatesError } from '../../certs/certificates-error.ts';

type Verb = Exclude<keyof CertificatesApi, 'clockAheadBy'>;

/** One Secret and some configurations, with the conflicts that a real API server would have, and a count of the writes. */
export class InMemoryApi implements CertificatesApi {
  readonly writes: { verb: Verb; outcome: Write }[] = [];
  readonly refused = new Set<Verb>();
  #version = 0;
  #secret: StoredSecret | undefined;
  readonly #configurations = new Map<string, WebhookConfiguration>();

  getSecret(): Promise<StoredSecret | undefined> {
    return this.#answer('getSecret', () => this.#secret);
  }

  createSecret(_: unknown, data: SecretData): Promise<Write> {
    return this.#write(
      'createSecret',
      () => this.#secret === undefined,
      () => this.putSecret(data),
    );
  }

  updateSecret(_: unknown, data: SecretData, resourceVersion: string): Promise<Write> {
    const isCurrent = () => this.#secret?.resourceVersion === resourceVersion;
    return this.#write('updateSecret', isCurrent, () => this.putSecret(data));
  }

  getConfiguration({ kind, name }: WebhookConfigurationName): Promise<WebhookConfiguration | undefined> {
    return this.#answer('getConfiguration', () => this.#configurations.get(`${kind}/${name}`));
  }

  applyCaBundle(configuration: WebhookConfiguration, caBundle: string): Promise<Write> {
    const { kind, name, uid, resourceVersion } = configuration;
    const live = () => this.#configurations.get(`${kind}/${name}`);
    const isCurrent = () => live()?.uid === uid && live()?.resourceVersion === resourceVersion;
    return this.#write('applyCaBundle', isCurrent, () =>
      this.putConfiguration(
        { kind, name },
        configuration.entries.map((entry) => ({ ...entry, caBundle })),
      ),
    );
  }

  clockAheadBy(): number {
    return 0;
  }

  putSecret(data: SecretData | undefined): void {
    this.#secret = data && { data, resourceVersion: this.#nextVersion() };
  }

  secret(): SecretData {
    return this.#secret?.data ?? {};
  }

  putConfiguration({ kind, name }: WebhookConfigurationName, entries: WebhookConfiguration['entries']): void {
    const uid = this.#configurations.get(`${kind}/${name}`)?.uid ?? this.#nextVersion();
    this.#configurations.set(`${kind}/${name}`, { kind, name, uid, resourceVersion: this.#nextVersion(), entries });
  }

  deleteConfiguration({ kind, name }: WebhookConfigurationName): void {
    this.#configurations.delete(`${kind}/${name}`);
  }

  caBundles(): readonly string[] {
    return [...this.#configurations.values()].flatMap(({ entries }) => entries.map(({ caBundle }) => caBundle));
  }

  #nextVersion(): string {
    this.#version += 1;
    return String(this.#version);
  }

  /** The decision falls when the request arrives, a turn after it was sent: what else happens meanwhile counts. */
  async #answer<T>(verb: Verb, answer: () => T): Promise<T> {
    await setImmediate();
    if (this.refused.has(verb)) throw new CertificatesError('API_REFUSED', `${verb} is refused: allow it`);
    return answer();
  }

  #write(verb: Verb, isFirst: () => boolean, write: () => void): Promise<Write> {
    return this.#answer(verb, () => {
      const outcome = isFirst() ? 'written' : 'lost';
      if (outcome === 'written') write();
      this.writes.push({ verb, outcome });
      return outcome;
    });
  }
}
