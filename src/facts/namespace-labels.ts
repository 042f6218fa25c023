import { type Fact, known, unknown } from '../objects/fact.ts';
import type { Reading } from './claim.ts';

/** The labels choose the mode; a namespace that is not there has none that could be read. */
export function namespaceLabelsOf(name: string, { snapshot, missed }: Reading): Fact<ReadonlyMap<string, string>> {
  const found = snapshot.get('Namespace', '', name);
  if (found.known && found.value !== undefined) return known(found.value.labels);
  missed({ kind: 'Namespace', namespace: '', name });
  return found.known ? unknown(`namespace ${name} does not exist`) : found;
}
