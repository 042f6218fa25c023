import type { Mode } from '../decision/mode.ts';

/** What the settings of the server say, as far as it matters here. */
export interface Settings {
  readonly service: { readonly namespace: string; readonly name: string };
  readonly defaultMode: Mode;
  readonly exemptNamespaces: readonly string[];
  readonly exemptUsers: readonly string[];
  readonly certificates: { readonly source: 'secret' | 'files'; readonly secretName: string };
  /** Whether the server takes calls from those alone who show a certificate. */
  readonly clientAuthentication: object | undefined;
  readonly audit: { readonly enabled: boolean; readonly events: boolean; readonly openReports: boolean };
  readonly webhookConfigurations: { readonly validating: readonly string[]; readonly mutating: readonly string[] };
}
