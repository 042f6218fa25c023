import type { CertificateStatus, WebhookConfigurationName } from '../../certs/index.ts';
import type { Fact } from '../objects/fact.ts';
import type { Namespace } from '../objects/namespace.ts';
import type { CallCounts } from './call-counts.ts';
import { quoted } from './check.ts';
import type { Entry } from './entry.ts';
import type { Probed } from './probed.ts';
import type { Right } from './rights.ts';
import type { Settings } from './settings.ts';

/** All that was read of an installation. What could not be read says why. */
export interface Installation {
  /** That of this program. */
  readonly version: string;
  readonly settings: Settings;
  /** Where the settings are from; unknown where the defaults stand in for them. */
  readonly settingsFrom: Fact<string>;
  /** As the API server says it: `v1.34.1`. */
  readonly clusterVersion: Fact<string>;
  readonly deployment: Fact<Deployment | undefined>;
  readonly service: Fact<Service | undefined>;
  readonly configurations: readonly ConfigurationRead[];
  readonly namespaces: Fact<readonly LabelledNamespace[]>;
  readonly certificates: Fact<CertificateStatus>;
  readonly rights: readonly RightRead[];
  readonly calls: Calls;
}

/** The Deployment of the server. */
export interface Deployment {
  readonly replicas: number;
  readonly ready: number;
  /** Replicas of the newest template; fewer than asked for while a rollout is under way. */
  readonly updated: number;
  readonly image: string;
  readonly serviceAccount: string;
  /** The ConfigMap with its settings. */
  readonly configMap: string | undefined;
  /** The name of the Helm release that it belongs to. */
  readonly release: string | undefined;
}

export interface Service {
  /** Endpoints that are ready; unknown where they could not be read. */
  readonly ready: Fact<number>;
}

/** A webhook configuration that the settings name; `undefined` where there is none. */
export interface ConfigurationRead extends WebhookConfigurationName {
  readonly found: Fact<readonly Entry[] | undefined>;
}

export interface LabelledNamespace extends Namespace {
  /** Only those of ours. */
  readonly annotations: ReadonlyMap<string, string>;
}

/** Whether the server's account may do it; unknown where nobody would tell us. */
export interface RightRead extends Right {
  readonly granted: Fact<boolean>;
}

/** What was seen of calls. */
export interface Calls {
  readonly probes: readonly Probed[];
  /** The API server's own counts before the probes, and after them. */
  readonly before: Fact<CallCounts>;
  readonly after: Fact<CallCounts>;
}

/** All entries that could be read, of all configurations. */
export function entriesOf({ configurations }: Pick<Installation, 'configurations'>): readonly Entry[] {
  return configurations.flatMap(({ found }) => (found.known ? (found.value ?? []) : []));
}

/** Puts back whatever the manifests bring and somebody took away. */
export function reinstall({ settings, deployment }: Pick<Installation, 'settings' | 'deployment'>): string {
  const release = deployment.known ? deployment.value?.release : undefined;
  if (release === undefined) return 'apply the manifests once more: kubectl apply -k my, or helm upgrade --install';
  const helm = `helm -n ${settings.service.namespace}`;
  const name = quoted(release); // an annotation, which may say anything
  return `${helm} rollback ${name} $(${helm} history ${name} --max 1 | tail -1 | awk '{print $1}')`; // to what it is
}
