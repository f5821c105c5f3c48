import type { Socket } from 'node:net';

/**
 * Calls `onRequest` with the head of each complete request on the socket: the least that a stub can
 * do.
 */
export function readRequests(socket: Socket, onRequest: (head: string) => void): void {
  let text = '';
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    for (;;) {
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = text.slice(0, end);
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      text = text.slice(end + 4 + length);
      onRequest(head);
    }
  });
}
