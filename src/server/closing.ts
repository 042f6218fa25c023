import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/**
 * Closes the server: what is under way is answered, and what is still open after so many milliseconds is cut off. Has to
 * be made before the server listens, for `closeAllConnections` does not know those that have not got as far as TLS.
 */
export function closerOf(app: FastifyInstance<Server>): (withinMs: number) => Promise<void> {
  const open = new Set<Duplex>();
  app.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return async (withinMs) => {
    const limit = setTimeout(() => {
      for (const socket of open) socket.destroy();
    }, withinMs);
    await app.close();
    clearTimeout(limit);
  };
}
