import type { ReportedObject } from './report.ts';

/** `Deployment shop/web`, or `Node node-a` for an object that lives in no namespace. */
export function objectName({ kind, namespace, name }: ReportedObject): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
