import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between the guard and the API server, and can fall silent: then connections stay open and nothing comes through. */
export interface SilencedProxy {
  readonly url: string;
  silence(): void;
  /** What was sent meanwhile comes through now, as it would after a network has healed. */
  speak(): void;
  close(): void;
}

export async function startSilencedProxy(server: string): Promise<SilencedProxy> {
  const target = new URL(server);
  const sockets = new Set<Socket>();
  let silent = false;
  const proxy = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from
        .on('error', () => to.destroy())
        .once('close', () => {
          sockets.delete(from);
          to.destroy();
        });
      from.on('data', (chunk) => to.write(chunk));
      if (silent) from.pause();
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    silence() {
      silent = true;
      for (const socket of sockets) socket.pause();
    },
    speak() {
      silent = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
