import type { CertificatesApi } from './certificates-api.ts';
import { CertificatesError } from './certificates-error.ts';
import type { World } from './world.ts';

/**
 * The world with the clock of the API server, since it is the one that judges certificates. A node whose clock is wrong
 * would replace what all others serve, and make certificates that nobody accepts.
 */
export function atServerTime(world: World, api: Pick<CertificatesApi, 'clockAheadBy'>): World {
  return { ...world, now: () => new Date(world.now().getTime() + api.clockAheadBy()) };
}

/** What to tell whoever looks after this node, where its clock is wrong. Nothing here depends on it. */
export function clockFailures(api: Pick<CertificatesApi, 'clockAheadBy'>): readonly CertificatesError[] {
  const aheadBy = api.clockAheadBy();
  if (aheadBy === 0) return [];
  const direction = aheadBy > 0 ? 'behind' : 'ahead of';
  const message = `the clock of this node is ${direction} that of the API server, which is used instead: set the clock`;
  return [new CertificatesError('CLOCK_WRONG', message)];
}
