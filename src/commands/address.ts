import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { Server } from 'node:net';

/** Where a server can be reached, as given on the command line. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The address cannot be listened at. The message says which flag to change. */
export class CannotListenError extends Error {
  readonly code = 'CANNOT_LISTEN';

  constructor(flag: string, { host, port }: Address, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`cannot listen at ${host}:${port}: choose another address with ${flag} (${reason})`, { cause });
    this.name = 'CannotListenError';
  }
}

/** Reads `HOST:PORT`, where an IPv6 address stands in brackets. */
export function addressFrom(text: string): Address {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
}

/** Makes a server listen at one address, and gives that under which a client on this machine reaches it. */
export async function listenAt(server: Server, address: Address, flag: string): Promise<string> {
  try {
    const { address: ip } = await lookup(address.host);
    server.listen(address.port, ip);
    await once(server, 'listening');
  } catch (error) {
    throw new CannotListenError(flag, address, error);
  }
  const bound = server.address();
  const port = bound !== null && typeof bound === 'object' ? bound.port : address.port;
  return `${reachable(address.host)}:${port}`;
}

/** A wildcard is no address that a client could verify a certificate for. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
