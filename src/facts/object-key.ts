/** `namespace/name`, or `name` for cluster-scoped objects. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
