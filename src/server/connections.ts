import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';

interface Connection {
  readonly name: string;
  readonly socket: Socket;
  readonly address: string | undefined;
  /** Requests whose bodies are whole and that are not answered yet. */
  answering: number;
}

/**
 * Keeps no more connections than this: where one more comes, one is closed of those from the address that has the most, the
 * one that has done nothing for longest, be it in the middle of its handshake, its headers or its body, or idle between two
 * requests. So it is never the one that has just come, which may be the API server's, and strangers at one address only
 * ever close their own. Those that wait for an answer go last. `onClosed` hears of each.
 *
 * The address alone would not do: many strangers have many, and behind a proxy everybody has one.
 */
export function limitConnections(server: Server, most: number, onClosed: () => void): void {
  /** The one that has done nothing for longest comes first. */
  const open = new Map<string, Connection>();

  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    const connection = { name, socket, address: socket.remoteAddress, answering: 0 };
    open.set(name, connection);
    socket.once('close', () => {
      if (open.get(name) === connection) open.delete(name);
    });
    if (open.size > most) close(leastNeeded());
  });
  server.on('secureConnection', heardOf);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = heardOf(request.socket);
    request.once('end', () => {
      if (connection === undefined || response.closed) return;
      connection.answering++;
      response.once('close', () => {
        connection.answering--;
        heardOf(request.socket);
      });
    });
  });

  function heardOf(socket: Socket): Connection | undefined {
    const name = nameOf(socket);
    const connection = open.get(name);
    if (connection === undefined) return undefined;
    open.delete(name);
    open.set(name, connection);
    return connection;
  }

  function leastNeeded(): Connection | undefined {
    const all = [...open.values()];
    const idle = all.filter(({ answering }) => answering === 0);
    const from = new Map<string | undefined, Connection[]>();
    for (const connection of idle.length > 0 ? idle : all) {
      const others = from.get(connection.address);
      if (others === undefined) from.set(connection.address, [connection]);
      else others.push(connection);
    }
    let most: readonly Connection[] = [];
    for (const those of from.values()) if (those.length > most.length) most = those;
    return most[0];
  }

  function close(connection: Connection | undefined): void {
    if (connection === undefined) return;
    open.delete(connection.name);
    connection.socket.destroy();
    onClosed();
  }
}

/** The ends of a connection, which its TLS socket has too. Once a socket is closed nobody knows them any more. */
function nameOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
