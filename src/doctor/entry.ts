import type { LabelSelector } from '../objects/selector.ts';

/** The webhooks that the manifests bring, and the configuration in which each stands. */
export const ENTRIES = {
  'enforce.rwo-guard.dev': 'ValidatingWebhookConfiguration',
  'advise.rwo-guard.dev': 'ValidatingWebhookConfiguration',
  'mutate.rwo-guard.dev': 'MutatingWebhookConfiguration',
} as const;

export type EntryName = keyof typeof ENTRIES;

export function isEntryName(name: string): name is EntryName {
  return Object.hasOwn(ENTRIES, name);
}

/** One webhook of a configuration. */
export interface Entry {
  readonly name: string;
  /** Its place in the configuration, by which a JSON patch finds it. */
  readonly index: number;
  readonly failurePolicy: string;
  readonly timeoutSeconds: number;
  /** Where it is sent; `undefined` where it calls a URL. */
  readonly service: { readonly namespace: string; readonly name: string } | undefined;
  readonly hasCaBundle: boolean;
  readonly namespaceSelector: LabelSelector;
  /** Group and plural of what it is called for, such as `apps/deployments` and `/persistentvolumeclaims`. */
  readonly resources: readonly string[];
}
