// Bodies that may hold a card, refused ones and parts of one as well: neither what a socket has read nor
// what the parser makes of it keeps its bytes. Contract §4.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Zeroes every piece that comes in: the bytes as the socket has read them, once the parser has seen
 * them, and the copies that a request's body is made of, once it is answered or its connection ends.
 */
export function wipeBodies(server: Server): void {
  server.on('connection', (socket) => {
    // A listener takes the reading from the parser, which would otherwise keep a buffer of its own; the
    // server's own listener is called first.
    socket.on('data', (piece: Buffer) => piece.fill(0));
  });
  // Before anything reads: the first piece comes in the same turn as the head.
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const copies: Buffer[] = [];
    const push = request.push.bind(request);
    request.push = (piece: Buffer | null, ...rest) => {
      if (!Buffer.isBuffer(piece)) return push(piece, ...rest);
      const copy = Buffer.from(piece);
      piece.fill(0);
      copies.push(copy);
      return push(copy, ...rest);
    };
    response.once('close', () => {
      for (const copy of copies.splice(0)) copy.fill(0);
    });
  });
}
