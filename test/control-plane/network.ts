import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Below the range from which Linux and macOS take ports for outgoing connections (32768 and 49152 up): a component that is
 * restarted must find its port free again.
 */
const LOWEST_PORT = 20_000;
const PORT_AFTER_HIGHEST = 32_000;

/** Ports of this machine that nobody listens on. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(LOWEST_PORT, PORT_AFTER_HIGHEST);
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  // Without a host: free on the loopback and on the machine's own address.
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** This machine's own address as others would see it: the API server refuses endpoints on the loopback. */
export function machineAddress(): string {
  for (const addresses of Object.values(networkInterfaces())) {
    for (const { family, internal, address } of addresses ?? []) {
      if (family === 'IPv4' && !internal && !address.startsWith('169.254.')) return address;
    }
  }
  throw new Error('This machine has no IPv4 address but the loopback, so the API server cannot call webhooks on it');
}
