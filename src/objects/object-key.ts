/** Whether any object of Kubernetes may have that name (`apimachinery/pkg/util/validation/validation.go:IsDNS1123Subdomain`). */
export function isObjectName(text: string): boolean {
  return /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(text);
}

/** `namespace/name`, or `name` for cluster-scoped objects. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Tells one object from every other, of whatever kind. */
export function idOf({
  kind,
  namespace,
  name,
}: {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}): string {
  return `${kind} ${keyOf(namespace, name)}`;
}
