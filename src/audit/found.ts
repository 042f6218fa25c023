import { idOf } from '../objects/object-key.ts';
import type { Severity } from '../rules/rule.ts';
import type { Reported } from './reported.ts';
import type { AuditedRef } from './standing-objects.ts';

/** An object that was judged. */
export interface JudgedObject {
  readonly ref: AuditedRef;
  /** Tells it from one of its name before it; `undefined` where that has to be asked for. */
  readonly uid: string | undefined;
  /** `undefined` where there is no such object, or nobody is to hear of it. */
  readonly reported: Reported | undefined;
}

/** So many findings of a rule in a namespace. */
export interface FindingCount {
  readonly namespace: string;
  readonly rule: string;
  readonly severity: Severity;
  readonly count: number;
}

/** What is wrong now: the objects of which anything was found. */
export class Found {
  readonly #objects = new Map<string, JudgedObject>();

  set(judged: JudgedObject): void {
    const id = idOf(judged.ref);
    if (isFound(judged)) this.#objects.set(id, judged);
    else this.#objects.delete(id);
  }

  objects(): readonly JudgedObject[] {
    return [...this.#objects.values()];
  }

  counts(): readonly FindingCount[] {
    const counts = new Map<string, FindingCount>();
    const add = (namespace: string, rule: string, severity: Severity): void => {
      const key = `${namespace} ${rule} ${severity}`;
      counts.set(key, { namespace, rule, severity, count: (counts.get(key)?.count ?? 0) + 1 });
    };
    for (const { ref, reported } of this.#objects.values()) {
      for (const { rule, severity } of reported?.findings ?? []) add(ref.namespace, rule.id, severity);
      for (const { rule } of reported?.inconclusive ?? []) add(ref.namespace, rule.id, rule.severity);
    }
    return [...counts.values()];
  }
}

/** Whether there is anything to say of it. */
export function isFound({ reported }: JudgedObject): boolean {
  return reported !== undefined && reported.findings.length + reported.inconclusive.length > 0;
}
