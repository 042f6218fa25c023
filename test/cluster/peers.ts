import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { createCertificateAuthority } from '../control-plane/certificate-authority.ts';

/** Something at an address that should be an API server's. */
export interface Peer {
  readonly url: string;
  /** When a request, or the attempt to make a connection, has come as far as it ever will. */
  readonly reached: Promise<unknown>;
  /** Connections to it that are open. */
  readonly open: ReadonlySet<Socket>;
}

const authority = createCertificateAuthority();

/** What a kubeconfig says of each of them: who vouches for it. */
export const authorityOfPeers = authority.certificate;

/** Takes connections and never says a word, so that TLS never begins. */
export async function silentPeer(t: TestContext): Promise<Peer> {
  const server = createServer();
  return { ...(await listening(t, server, 'https')), reached: once(server, 'connection') };
}

/** Speaks TLS, reads the request and never answers. */
export async function tlsOnlyPeer(t: TestContext): Promise<Peer> {
  const server = createTlsServer(servingOptions(), () => {});
  return { ...(await listening(t, server, 'https')), reached: once(server, 'request') };
}

/** Answers at once, one byte a second. */
export async function slowPeer(t: TestContext): Promise<Peer> {
  const reached = Promise.withResolvers<void>();
  const server = createTlsServer(servingOptions(), (_request, response) => {
    response.write('{');
    const timer = setInterval(() => response.write(' '), 1_000);
    response.once('close', () => clearInterval(timer));
    reached.resolve();
  });
  return { ...(await listening(t, server, 'https')), reached: reached.promise };
}

/** Answers the first request and no other. */
export async function halfDeadPeer(t: TestContext): Promise<Peer> {
  const reached = Promise.withResolvers<void>();
  let requests = 0;
  const server = createTlsServer(servingOptions(), (_request, response) => {
    if (requests++ === 0) response.end('{}');
    else reached.resolve();
  });
  return { ...(await listening(t, server, 'https')), reached: reached.promise };
}

/**
 * Nothing comes back from there: the kernel drops what would open a connection once nobody takes those that wait already.
 * That takes a process of its own, which is stopped; on the loopback there is no packet filter to ask.
 */
export async function unreachablePeer(t: TestContext): Promise<Peer> {
  const listen = "const s=require('net').createServer().listen(0,'127.0.0.1',1,()=>console.log(s.address().port))";
  const child = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  const port = Number(String(line));
  const waiting: Socket[] = [];
  t.after(() => {
    for (const socket of waiting) socket.destroy();
  });
  for (let dropped = false; !dropped; ) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    waiting.push(socket);
    dropped = await Promise.race([once(socket, 'connect').then(() => false), droppedAfter(300)]);
  }
  // Nothing is ever heard of the attempt; it begins as soon as the credentials are there.
  return { url: `https://127.0.0.1:${port}`, reached: droppedAfter(300), open: new Set() };
}

/** Longer than a connection on the loopback takes, which is made by the kernel alone. */
function droppedAfter(ms: number): Promise<true> {
  return new Promise((resolve) => setTimeout(() => resolve(true), ms));
}

/** Nobody listens there. */
export async function absentPeer(): Promise<Peer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return { url: `https://127.0.0.1:${port}`, reached: Promise.resolve(), open: new Set() };
}

function servingOptions() {
  const { certificate, key } = authority.servingCertificate({ dns: ['localhost'], ips: ['127.0.0.1'] });
  return { cert: certificate, key };
}

async function listening(t: TestContext, server: Server, scheme: 'https'): Promise<Pick<Peer, 'url' | 'open'>> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => {}).once('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return { url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`, open };
}
