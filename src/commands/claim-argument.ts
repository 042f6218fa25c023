import { loadKubeConfig } from '../cluster/kube-config.ts';
import type { ClaimRef } from '../recovery/claim-use.ts';
import { UsageError } from '../usage-error.ts';
import type { ClusterOptions } from './command.ts';

/** Which cluster and namespace, as kubectl is told them. */
export interface NamespacedOptions extends ClusterOptions {
  readonly namespace?: string;
}

/** `NAMESPACE/CLAIM`, or a claim in the namespace of `-n` or of the context. Throws UsageError. */
export function claimFromArgument(text: string, { namespace, ...choice }: NamespacedOptions): ClaimRef {
  const parts = text.split('/');
  const [home, name] = parts.length === 1 ? [namespace ?? namespaceOf(choice), parts[0]] : parts;
  if (parts.length > 2 || !home || !name) throw new UsageError(`give a claim as NAMESPACE/CLAIM, not ${text}`);
  if (parts.length === 2 && namespace !== undefined && namespace !== home)
    throw new UsageError(`${text} is not in namespace ${namespace}: leave out -n`);
  return { namespace: home, name };
}

function namespaceOf(choice: ClusterOptions): string {
  const config = loadKubeConfig(choice);
  return config.getContextObject(config.getCurrentContext())?.namespace ?? 'default';
}

export type TextFormat = 'text' | 'json';

/** Throws UsageError for any other. */
export function textFormat(format = 'text'): TextFormat {
  if (format === 'text' || format === 'json') return format;
  throw new UsageError(`--format must be text or json, not ${format}`);
}
