import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Config } from '../config.ts';
import type { ClientAuthentication } from '../server/tls.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Reads the authorities once: both installations roll a changed configuration out, files included. Rejects with UsageError
 * where the file holds none.
 */
export async function clientAuthenticationFrom(
  setting: Config['clientAuthentication'],
): Promise<ClientAuthentication | undefined> {
  if (setting === undefined) return undefined;
  const { caFile, allowedNames } = setting;
  try {
    const authorities = await readFile(caFile, 'utf8');
    new X509Certificate(authorities); // takes the first of several, and throws where there is none
    return { authorities, allowedNames };
  } catch (cause) {
    throw new UsageError(`clientAuthentication.caFile ${caFile} must hold certificates in PEM`, { cause });
  }
}
