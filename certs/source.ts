/** What a TLS server, a readiness probe and a metric need to know about certificates, wherever they come from. */
export interface CertificateSource {
  /** The certificate to serve; undefined until there is a first good one. It is never replaced by a bad one. */
  current(): ServingCertificate | undefined;
  /**
   * Calls the listener with every new certificate, and at once with the current one if there is one, so nothing is missed
   * between looking and listening. The result ends it.
   */
  onChange(listener: (certificate: ServingCertificate) => void): () => void;
  /** May the API server be sent here? Cheap enough for every probe. */
  ready(): Readiness;
  /** What callers trust now, compared with what is served. */
  caBundle(): CaBundle;
  /** Ends the polling; resolves once nothing runs any more. */
  stop(): Promise<void>;
}

/** A pair that has been checked: the key fits, the names are covered, it is valid. */
export interface ServingCertificate {
  /** PEM: the certificate, and intermediates after it where there are any. */
  readonly certificate: string;
  /** PEM. Never to be logged. */
  readonly key: string;
  /** PEM: what a client has to trust; empty where only the clients know. */
  readonly authorities: string;
  readonly notAfter: Date;
  /** SHA-256 of the certificate, in hexadecimal: tells two certificates apart in a log. */
  readonly fingerprint: string;
}

/** `because` completes the sentence "not ready, because …" and says what to do where waiting is not enough. */
export type Readiness =
  | { readonly ready: true }
  | {
      readonly ready: false;
      readonly reason: 'no-certificate' | 'expired' | 'ca-bundle-out-of-sync' | 'ca-bundle-unknown';
      readonly because: string;
    };

/**
 * Whether the certificate served verifies against the caBundle in every webhook configuration that exists. Where none
 * exists yet nobody calls, and where no configurations were named nobody asked.
 */
export type CaBundle =
  | { readonly state: 'in-sync' }
  | { readonly state: 'no-configuration' }
  | { readonly state: 'out-of-sync'; readonly because: string }
  | { readonly state: 'unknown'; readonly because: string };
