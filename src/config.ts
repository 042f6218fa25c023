import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parseDocument } from 'yaml';
import { MODES, type Mode } from './decision/mode.ts';
import { type StorageBackend, UNVERIFIED } from './facts/storage-backend.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import { schemaProblem } from './schema-problem.ts';

/** What the operator chose; every setting has a value here. */
export interface Config {
  /** `HOST:PORT` of the webhook, and of `/livez`, `/readyz` and `/metrics`. */
  readonly listen: string;
  readonly metricsListen: string;
  /** The mode of namespaces without the label. */
  readonly defaultMode: Mode;
  readonly guards: {
    /** The mode for what has no namespace, and for namespaces without the label. */
    readonly mode: Mode;
  };
  /** What a denial becomes in a dry run. */
  readonly dryRun: 'warn' | 'same';
  /** What becomes of a problem that the object already had. */
  readonly existing: 'warn' | 'deny';
  /** Whether the annotation counts with which an object exempts itself from rules. */
  readonly exemptions: 'allow' | 'deny';
  /** What becomes of an object that takes too many steps to be judged. */
  readonly overBudget: 'warn' | 'deny';
  /** Names, exact or with a trailing `*`; the same for the two below. */
  readonly exemptNamespaces: readonly string[];
  readonly exemptUsers: readonly string[];
  readonly autoscalerUsers: readonly string[];
  /** Rows that come before those of the built-in storage matrix. */
  readonly storage: readonly StorageBackend[];
  /** Telling of what was applied before. */
  readonly audit: {
    readonly enabled: boolean;
    /** Whether Events are written on the objects. */
    readonly events: boolean;
    /** Whether Reports of openreports.io are written, where the cluster has that kind. */
    readonly openReports: boolean;
  };
  readonly logLevel: LogLevel;
  /** The namespaces that become a label of metrics: names, exact or with a trailing `*`. */
  readonly metricsNamespaces: readonly string[];
  /** How long reviews are still answered after SIGTERM; `undefined` leaves it to the command. */
  readonly shutdownGraceSeconds: number | undefined;
  /** After how many seconds without a word from the API server a list is stale. */
  readonly staleAfterSeconds: number;
  /** Who may send reviews at all; `undefined` lets everybody who reaches the port. */
  readonly clientAuthentication:
    | {
        /** PEM; what the certificates of clients have to verify with. */
        readonly caFile: string;
        /** Common names of clients that may send reviews; where there are none, all whose certificates verify may. */
        readonly allowedNames: readonly string[];
      }
    | undefined;
  /** The Service by which the API server calls us. */
  readonly service: { readonly namespace: string; readonly name: string };
  readonly certificates: {
    readonly source: 'secret' | 'files';
    readonly secretName: string;
    /** Holds `tls.crt`, `tls.key` and `ca.crt`, as cert-manager writes them. */
    readonly directory: string;
  };
  /** The webhook configurations whose `caBundle` is ours to set. */
  readonly webhookConfigurations: { readonly validating: readonly string[]; readonly mutating: readonly string[] };
}

export interface ConfigSources {
  /** A YAML file with the settings above, or a folder of them. */
  readonly file?: string | undefined;
  /** The texts of such files by their names, where they were read already. */
  readonly texts?: Readonly<Record<string, string>> | undefined;
  /** What was said on the command line, which is stronger than the file. */
  readonly flags: { readonly listen?: string | undefined; readonly metricsListen?: string | undefined };
  /** `POD_NAMESPACE` is where the Service is, if the file does not say. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The configuration cannot be used. All that is wrong with it is told at once. */
export class ConfigError extends Error {
  readonly code = 'BAD_CONFIG';

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
  }
}

/** What may be written in the file; whatever is left out has a default. */
interface Settings
  extends Partial<
    Omit<
      Config,
      'guards' | 'storage' | 'audit' | 'clientAuthentication' | 'service' | 'certificates' | 'webhookConfigurations'
    >
  > {
  readonly clientAuthentication?: { readonly caFile: string; readonly allowedNames?: readonly string[] };
  readonly guards?: Partial<Config['guards']>;
  readonly storage?: readonly (Pick<StorageBackend, 'provisioner'> & Partial<StorageBackend>)[];
  readonly audit?: Partial<Config['audit']>;
  readonly service?: Partial<Config['service']>;
  readonly certificates?: Partial<Config['certificates']>;
  readonly webhookConfigurations?: Partial<Config['webhookConfigurations']>;
}

/** Rejects with ConfigError if anything in the sources cannot be used. */
export async function readConfig({ file, texts = {}, flags, env }: ConfigSources): Promise<Config> {
  const fromFiles = file === undefined ? settingsIn(texts) : await readSettings(file);
  const { storage = [], clientAuthentication, ...settings } = checked([...fromFiles, { settings: given(flags) }]);
  return {
    listen: '0.0.0.0:8443',
    metricsListen: '0.0.0.0:8080',
    defaultMode: 'warn',
    dryRun: 'warn',
    existing: 'warn',
    exemptions: 'allow',
    overBudget: 'warn',
    exemptNamespaces: [],
    exemptUsers: [],
    autoscalerUsers: [],
    logLevel: 'info',
    metricsNamespaces: [],
    shutdownGraceSeconds: undefined,
    staleAfterSeconds: 120,
    ...settings,
    // Who switches guards on wants what loses data refused: a warning comes when the disk is gone.
    guards: { mode: 'enforce', ...settings.guards },
    audit: { enabled: true, events: true, openReports: true, ...settings.audit },
    storage: storage.map((row) => ({ ...UNVERIFIED, ...row })),
    clientAuthentication: clientAuthentication && { allowedNames: [], ...clientAuthentication },
    service: { namespace: env.POD_NAMESPACE || 'rwo-guard', name: 'rwo-guard', ...settings.service },
    certificates: {
      source: 'secret',
      secretName: 'rwo-guard-tls',
      directory: '/etc/rwo-guard/tls',
      ...settings.certificates,
    },
    webhookConfigurations: { validating: ['rwo-guard'], mutating: ['rwo-guard'], ...settings.webhookConfigurations },
  };
}

function given(flags: ConfigSources['flags']): object {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

/** Settings that stand together, not checked yet; those of the command line are in no file. */
interface SettingsFile {
  readonly file?: string;
  readonly settings: object;
}

/** Reads a file, or every `*.yaml` of a folder; where two say the same setting, the later name wins. */
async function readSettings(path: string): Promise<readonly SettingsFile[]> {
  const names = await readdir(path).catch(() => undefined); // no folder; what else is wrong, reading the file tells
  if (names === undefined) return [await readFileSettings(path)];
  const files = names.filter((name) => name.endsWith('.yaml')).sort();
  if (files.length === 0)
    throw new ConfigError([`${path} must be a file that can be read, or hold files named *.yaml`]);
  return Promise.all(files.map((name) => readFileSettings(join(path, name))));
}

/** As a folder of files is read. */
function settingsIn(texts: Readonly<Record<string, string>>): readonly SettingsFile[] {
  const names = Object.keys(texts).filter((name) => name.endsWith('.yaml'));
  return names.sort().map((name) => parsedSettings(name, texts[name] ?? ''));
}

async function readFileSettings(file: string): Promise<SettingsFile> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError([
      `${file} must be a file that can be read: ${error instanceof Error ? error.message : error}`,
    ]);
  });
  return parsedSettings(file, text);
}

function parsedSettings(file: string, text: string): SettingsFile {
  const document = parseDocument(text);
  if (document.errors.length > 0) throw new ConfigError(document.errors.map(({ message }) => `${file}: ${message}`));
  const settings: unknown = document.toJS() ?? {};
  if (typeof settings === 'object' && !Array.isArray(settings)) return { file, settings: settings ?? {} };
  throw new ConfigError([`${file} must hold settings as "name: value" lines`]);
}

/** `description` completes the sentence "… must be", which is how a wrong value is reported. */
function choice(...values: readonly string[]) {
  return { enum: values, description: `${values.slice(0, -1).join(', ')} or ${values.at(-1)}` };
}

function text(description: string, pattern = '.') {
  return { type: 'string', pattern, description };
}

function list(item: { readonly description: string }) {
  return { type: 'array', items: item, description: `a list, each item ${item.description}` };
}

function section(properties: Readonly<Record<string, object>>, required: readonly string[] = []) {
  const description = `settings out of ${Object.keys(properties).join(', ')}`;
  return { type: 'object', properties, required, additionalProperties: false, description };
}

/** A port has at most 16 bits. Port 0 takes any that is free. */
const ADDRESS = text(
  'HOST:PORT with a port of at most 65535, such as 0.0.0.0:8443',
  '^(\\[[0-9A-Fa-f:.]+\\]|[^\\[\\]:\\s]+):(\\d{1,4}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d\\d|655[0-2]\\d|6553[0-5])$',
);

const NAMES = list(text('a name, exact or with a trailing *', '^([^*\\s]+\\*?|\\*)$'));

const NAME = text('the name of a Kubernetes object', '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$');

const YES_OR_NO = { type: 'boolean', description: 'true or false' };

const SUPPORT = choice('yes', 'no', 'depends');

/** The one schema, for every source. Nothing is converted, filled in or left out while it checks. */
const SETTINGS = section({
  listen: ADDRESS,
  metricsListen: ADDRESS,
  defaultMode: choice(...MODES),
  guards: section({ mode: choice(...MODES) }),
  dryRun: choice('warn', 'same'),
  existing: choice('warn', 'deny'),
  exemptions: choice('allow', 'deny'),
  overBudget: choice('warn', 'deny'),
  exemptNamespaces: NAMES,
  exemptUsers: NAMES,
  autoscalerUsers: NAMES,
  storage: list(
    section(
      {
        provisioner: text(
          'the name of a provisioner, exact or with one * at the start or the end',
          '^(\\*?[^*\\s]+|[^*\\s]+\\*)$',
        ),
        rwo: SUPPORT,
        rwop: SUPPORT,
        rox: SUPPORT,
        rwxFilesystem: SUPPORT,
        rwxBlock: SUPPORT,
        nodePinned: choice('node', 'zone', 'no'),
        attach: SUPPORT,
      },
      ['provisioner'],
    ),
  ),
  audit: section({ enabled: YES_OR_NO, events: YES_OR_NO, openReports: YES_OR_NO }),
  logLevel: choice(...LOG_LEVELS),
  metricsNamespaces: NAMES,
  shutdownGraceSeconds: { type: 'number', minimum: 0, maximum: 600, description: 'a number of seconds from 0 to 600' },
  // A silent watch is taken up again after three quarters of it, and counts as settled after five seconds.
  staleAfterSeconds: { type: 'number', minimum: 10, maximum: 3600, description: 'a number of seconds from 10 to 3600' },
  clientAuthentication: section({ caFile: text('the path of a file'), allowedNames: list(text('a name')) }, ['caFile']),
  service: section({ namespace: NAME, name: NAME }),
  certificates: section({
    source: choice('secret', 'files'),
    secretName: NAME,
    directory: text('the path of a directory'),
  }),
  webhookConfigurations: section({ validating: list(NAME), mutating: list(NAME) }),
});

/** Each by itself, so that what is wrong is told with its file. */
function checked(written: readonly SettingsFile[]): Settings {
  const ajv = new Ajv({ allErrors: true, verbose: true, meta: false, validateSchema: false });
  const isSettings = ajv.compile<Settings>(SETTINGS);
  const problems = written.flatMap(({ file, settings }) => {
    if (isSettings(settings)) return [];
    const prefix = file === undefined ? '' : `${file}: `;
    return (isSettings.errors ?? []).map((error) => prefix + schemaProblem(error));
  });
  const settings: object = Object.assign({}, ...written.map((one) => one.settings));
  if (problems.length === 0 && isSettings(settings)) return settings;
  throw new ConfigError([...new Set(problems)]);
}
