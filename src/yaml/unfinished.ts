import type { UnreadableObjectError } from '../objects/json.ts';
import type { Manifest } from './read-manifests.ts';
import { isFilledInLater } from './templates.ts';

/** An object of which nothing is known as long as something else has not filled in a value. */
export interface UnfinishedObject {
  readonly manifest: Manifest;
  readonly because: string;
}

/** Why an object is open although it could not be read; `undefined` where somebody has to correct it. */
export function unfinishedBecause({ field, found }: UnreadableObjectError): string | undefined {
  return isFilledInLater(found) ? `${field} is ${found}, which is filled in later; lint what comes of it` : undefined;
}
