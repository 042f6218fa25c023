import { type JsonObject, objectsAt, stringAt } from './json.ts';

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export interface Toleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  /** Empty tolerates every effect. */
  readonly effect: string;
}

export function taintFrom(object: JsonObject): Taint {
  return {
    key: stringAt(object, 'key') ?? '',
    value: stringAt(object, 'value') ?? '',
    effect: stringAt(object, 'effect') ?? '',
  };
}

export function tolerationsAt(object: JsonObject | undefined, key: string): readonly Toleration[] {
  return objectsAt(object, key).map((toleration) => ({
    key: stringAt(toleration, 'key') ?? '',
    operator: stringAt(toleration, 'operator') || 'Equal',
    value: stringAt(toleration, 'value') ?? '',
    effect: stringAt(toleration, 'effect') ?? '',
  }));
}

/** `staging/api/core/v1/toleration.go:ToleratesTaint`: an empty key with Exists tolerates every taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== '' && toleration.effect !== taint.effect) return false;
  if (toleration.key !== '' && toleration.key !== taint.key) return false;
  if (toleration.operator === 'Exists') return true;
  return toleration.key !== '' && toleration.operator === 'Equal' && toleration.value === taint.value;
}

/** Whether the taint keeps a pod without a matching toleration off the node; PreferNoSchedule never does. */
export function repels(taint: Taint, tolerations: readonly Toleration[]): boolean {
  if (taint.effect !== 'NoSchedule' && taint.effect !== 'NoExecute') return false;
  return !tolerations.some((toleration) => tolerates(toleration, taint));
}
