import { dirname } from 'node:path';
import { KubeConfig, loadYaml, makeAbsolutePath } from '@kubernetes/client-node';
import { isObject, objectAt, objectsAt, stringAt } from '../objects/json.ts';

/** What the user chose on the command line; nothing chosen means what kubectl would take, or the pod's own account. */
export interface KubeConfigChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

export class KubeConfigError extends Error {
  readonly code = 'KUBECONFIG';

  constructor(problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.name = 'KubeConfigError';
  }
}

/** The server that client-node falls back to when it has found nothing at all. */
const NOWHERE = 'http://localhost:8080';

/** Reads everything anew, so calling it again brings credentials that were renewed in the meantime. */
export function loadKubeConfig({ kubeconfig, context }: KubeConfigChoice = {}): KubeConfig {
  const config = new CompleteKubeConfig();
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    throw new KubeConfigError(
      `cannot read the kubeconfig: choose another with --kubeconfig or KUBECONFIG (${reason})`,
      {
        cause,
      },
    );
  }
  if (context !== undefined) config.setCurrentContext(context);
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    const contexts = config.getContexts().map(({ name }) => name);
    throw new KubeConfigError(
      `context ${config.getCurrentContext()} names no cluster: choose one of ${contexts.join(', ')} with --context`,
    );
  }
  if (cluster.server === NOWHERE && config.getCurrentContext() === 'loaded-context') {
    throw new KubeConfigError('there is no cluster to talk to: give --kubeconfig, set KUBECONFIG or run in a pod');
  }
  return config;
}

class CompleteKubeConfig extends KubeConfig {
  /** client-node leaves out `tokenFile`, which kubectl reads again and again, and refuses the plain HTTP of `kubectl proxy`. */
  override loadFromString(text: string): void {
    super.loadFromString(text);
    const tokenFiles = tokenFilesIn(text);
    this.users = this.users.map((user) => {
      const tokenFile = tokenFiles.get(user.name);
      return tokenFile === undefined ? user : { ...user, authProvider: { name: 'tokenFile', config: { tokenFile } } };
    });
    this.clusters = this.clusters.map((cluster) =>
      cluster.server.startsWith('http:') ? { ...cluster, skipTLSVerify: true } : cluster,
    );
  }

  override loadFromFile(file: string): void {
    super.loadFromFile(file);
    for (const { authProvider } of this.users) {
      const config = authProvider?.config;
      if (config?.tokenFile) config.tokenFile = makeAbsolutePath(dirname(file), config.tokenFile);
    }
  }
}

function tokenFilesIn(text: string): ReadonlyMap<string, string> {
  const document = loadYaml<unknown>(text);
  const files = new Map<string, string>();
  for (const entry of objectsAt(isObject(document) ? document : undefined, 'users')) {
    const tokenFile = stringAt(objectAt(entry, 'user'), 'tokenFile');
    if (tokenFile !== undefined) files.set(stringAt(entry, 'name') ?? '', tokenFile);
  }
  return files;
}
