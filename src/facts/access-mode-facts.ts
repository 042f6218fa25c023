import type { AccessMode } from '../objects/access-mode.ts';
import type { PersistentVolumeClaim } from '../objects/persistent-volume-claim.ts';
import type { Reading } from './claim.ts';
import { storageClassOf } from './claim-facts.ts';
import { supportByClass } from './shared-by-class.ts';
import type { Support } from './storage-backend.ts';

/** What the provisioner of a claim is known to say to each mode that the claim asks for. */
export interface AccessModeFacts {
  readonly provisioner: string;
  readonly support: readonly { readonly mode: AccessMode; readonly answer: Support }[];
}

/** The facts of a claim; no support where nothing will be provisioned any more, or nothing is known of who would. */
export function accessModeFacts(claim: PersistentVolumeClaim, reading: Reading): AccessModeFacts {
  const storageClass = claim.volumeName === '' ? storageClassOf(claim, reading) : undefined;
  if (!storageClass?.known) return { provisioner: '', support: [] };
  const { provisioner } = storageClass.value;
  const backend = reading.matrix(provisioner);
  if (backend === undefined) return { provisioner, support: [] };
  const { accessModes, volumeMode } = claim;
  return {
    provisioner,
    support: accessModes.map((mode) => ({
      mode,
      answer: supportByClass(storageClass.value, backend, mode, volumeMode),
    })),
  };
}
