// Wipes bodies that may hold a card, also refused and partial ones: neither the bytes that the socket read
// nor the parser's copies are kept. Contract §4.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Fills every received piece with zeros: the socket's bytes once the parser has read them, and the copies
 * that make up a request's body once it is answered or its connection ends.
 */
export function wipeBodies(server: Server): void {
  server.on('connection', (socket) => {
    // With a listener the socket's data passes through here, and the parser keeps no buffer of its own. The
    // server's own listener runs first.
    socket.on('data', (piece: Buffer) => piece.fill(0));
  });
  // Added before anything reads the request: the first piece arrives in the same turn as the head.
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
