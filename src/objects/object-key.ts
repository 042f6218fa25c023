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
