import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Below the range from which Linux and macOS take ports for outgoing connections (32768 and 49152 up): a component that is
 * restarted must find its port free again.
 */
const LOWEST_PORT = 20_000;
const PORT_AFTER_HIGHEST = 32_000;

/** More than the tests of one file ever hold at once. */
const LOT = 250;

/** Those of this process, in turn. */
let lot: Promise<Iterator<number, never>> | undefined;

/**
 * Ports of this machine that nobody listens on, nor is about to: processes that run at the same time have a lot of ports
 * each, and a port is given again only when all the others of its lot have been.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  lot ??= takeLot();
  const ports = await lot;
  const free: number[] = [];
  while (free.length < count) {
    const port = ports.next().value;
    if (await isFree(port)) free.push(port);
  }
  return free;
}

/** Whoever listens on the first port of a lot has the others, until it ends. */
async function takeLot(): Promise<Iterator<number, never>> {
  const lots = Math.floor((PORT_AFTER_HIGHEST - LOWEST_PORT) / LOT);
  const any = randomInt(lots);
  for (let n = 0; n < lots; n++) {
    const first = LOWEST_PORT + ((any + n) % lots) * LOT;
    const sign = await listening(first, '127.0.0.1');
    sign?.unref();
    if (sign !== undefined) return inTurn(first);
  }
  throw new Error(
    `Somebody listens on every ${LOT}th port from ${LOWEST_PORT} on: end what earlier tests left running`,
  );
}

function* inTurn(first: number): Generator<number, never> {
  for (let n = 0; ; n++) yield first + 1 + (n % (LOT - 1));
}

async function isFree(port: number): Promise<boolean> {
  // Without a host: free on the loopback and on the machine's own address.
  const server = await listening(port);
  server?.close();
  if (server !== undefined) await once(server, 'close');
  return server !== undefined;
}

/** Nothing where somebody else listens. */
async function listening(port: number, host?: string): Promise<Server | undefined> {
  const server = createServer().listen({ port, host });
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return undefined;
    throw error;
  }
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
