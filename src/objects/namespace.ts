import { type JsonObject, objectAt, stringMapAt } from './json.ts';
import { metadataFrom } from './metadata.ts';

/** A namespace is its labels: they choose the mode, and affinity terms may select by them. */
export interface Namespace {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
}

/** The API server gives each the label of its name (`pkg/apis/core/v1/defaults.go:SetDefaults_Namespace`). */
export function namespaceFrom(object: JsonObject): Namespace {
  const { name } = metadataFrom(object);
  const labels = stringMapAt(objectAt(object, 'metadata'), 'labels');
  return { name, labels: new Map([...labels, ['kubernetes.io/metadata.name', name]]) };
}
