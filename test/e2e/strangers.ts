/*
 * A program that takes everything a server on this machine has to give, and wants no answer: `node strangers.ts PORT`. What is
 * closed is opened again at once, until the program is ended.
 */
import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';

const server = { host: '127.0.0.1', port: Number(process.argv[2]) };

/** More in all than a replica takes. */
const WITHOUT_HANDSHAKE = 200;
const WITHOUT_REQUEST = 280;
const WITH_HALF_A_HEADER = 50;
const WITH_HALF_A_BODY = 10;

const BODY_BYTES = 8 * 1024 * 1024;
const CHUNK = Buffer.alloc(16 * 1024, ' ');

/** Limits are to be filled here, not processors: any faster, and a machine's cores would do nothing but handshakes. */
const AGAIN_MS = 2_000;

for (let n = 0; n < WITHOUT_HANDSHAKE; n++) plain();
for (let n = 0; n < WITHOUT_REQUEST; n++) secure(() => {});
for (let n = 0; n < WITH_HALF_A_HEADER; n++) secure((socket) => socket.write('POST /validate HTTP/1.1\r\nhost: x\r\n'));
for (let n = 0; n < WITH_HALF_A_BODY; n++) secure(halfABody);
process.stdout.write('everywhere\n');

function plain(): void {
  const socket = connectPlain(server).on('error', () => {});
  socket.once('close', () => setTimeout(plain, AGAIN_MS));
}

function secure(use: (socket: TLSSocket) => void): void {
  const socket = connect({ ...server, rejectUnauthorized: false }, () => use(socket)).on('error', () => {});
  socket.once('close', () => setTimeout(() => secure(use), AGAIN_MS));
}

/** All but its end, as fast as it is taken. */
function halfABody(socket: TLSSocket): void {
  const head = ['POST /validate?timeout=30s HTTP/1.1', 'host: x', 'content-type: application/json'];
  socket.write(`${[...head, `content-length: ${BODY_BYTES}`].join('\r\n')}\r\n\r\n`);
  let left = BODY_BYTES - CHUNK.length;
  more();

  function more(): void {
    while (left > 0 && !socket.destroyed) {
      left -= CHUNK.length;
      if (socket.write(CHUNK)) continue;
      socket.once('drain', more);
      return;
    }
  }
}
