import { parseBundle, type Rotation } from './bundle.ts';
import type { CertificatesApi, ObjectName } from './certificates-api.ts';
import { CertificatesError } from './certificates-error.ts';

/** A rotation that was asked for, told apart from what was before. */
export interface RotationRequest {
  /** Whether replicas have carried it out: a CA that did not sign before signs, and the old ones have left if they should. */
  isDone(): Promise<boolean>;
}

/** Whoever writes at the same time is a replica that repairs, which takes one write. */
const ATTEMPTS = 5;

/**
 * Asks the replicas for a new CA, by a word in their Secret. Any one of them makes it, and all of them see it through, so
 * whoever asks need not stay. Rejects with a CertificatesError where there is nothing that could be replaced.
 */
export async function requestRotation(
  api: CertificatesApi,
  secret: ObjectName,
  { distrustOld }: { readonly distrustOld: boolean },
): Promise<RotationRequest> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = await api.getSecret(secret);
    const reading = stored && parseBundle(stored.data);
    if (!stored || !reading?.usable) throw nothingToRotate(secret, stored !== undefined);
    const { authority, rotation } = reading.bundle;
    const isDistrusting = distrustOld || (rotation !== undefined && rotation !== 'requested');
    const asked: Rotation = isDistrusting ? 'requested-distrusting-old' : 'requested';
    const write = await api.updateSecret(secret, { ...stored.data, rotation: asked }, stored.resourceVersion);
    if (write === 'written') return { isDone: () => isDone(api, secret, authority.key) };
  }
  throw new CertificatesError('API_FAILED', `${full(secret)} changes all the time: try again`);
}

async function isDone(api: CertificatesApi, secret: ObjectName, before: string): Promise<boolean> {
  const stored = await api.getSecret(secret);
  const reading = stored && parseBundle(stored.data);
  if (!reading?.usable) return false;
  const { authority, next, rotation } = reading.bundle;
  return authority.key !== before && next === undefined && rotation === undefined;
}

function nothingToRotate(secret: ObjectName, isThere: boolean): CertificatesError {
  const message = isThere
    ? `${full(secret)} holds no CA that could be replaced: a server makes one within seconds, so look at its log`
    : `${full(secret)} does not exist: use -n if rwo-guard is in another namespace; mounted certificates (cert-manager, existing-secret) are rotated by whoever issues them`;
  return new CertificatesError('NOTHING_TO_ROTATE', message);
}

function full({ namespace, name }: ObjectName): string {
  return `Secret ${namespace}/${name}`;
}
