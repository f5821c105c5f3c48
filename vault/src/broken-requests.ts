// Answers data that the HTTP parser rejects before it is a request. RFC 9110 §15.5, contract §1.
import type { Socket } from 'node:net';
import { writeAndEnd } from '@svc/contract/servers/sockets';
import type { FastifyBaseLogger } from 'fastify';
import { describeRefusal, Refusal } from './errors.ts';
import { baseHeaders, newRequestId } from './headers.ts';

const statusByCode: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/**
 * Writes a 400, 408 or 431 to the socket and ends the connection. It writes nothing when the response could
 * be taken for another request's: while an earlier response is under way, and on a connection that timed
 * out before it was used, because the service may be writing a redemption to it at that moment.
 */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  log: Pick<FastifyBaseLogger, 'info'>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const isAnswering = Boolean((socket as Socket & { _httpMessage?: unknown })._httpMessage);
  const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
  if (isAnswering || isUnused) {
    socket.destroy();
    return;
  }
  const [status, reason] = statusByCode[error.code ?? ''] ?? [400, 'Bad Request'];
  const requestId = newRequestId();
  log.info({ requestId, status, code: 'invalid_request' }, 'request refused');
  const refusal = describeRefusal(new Refusal('invalid_request'), requestId);
  const text = JSON.stringify({ ...refusal, status });
  const headers = {
    ...baseHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
    'request-id': requestId,
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  writeAndEnd(socket, `HTTP/1.1 ${status} ${reason}\r\n${head.join('')}\r\n${text}`);
}
