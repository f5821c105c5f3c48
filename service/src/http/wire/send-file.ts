// A file that is sent while it is written, no faster than it is read.

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { TextFile } from '@svc/contract/row';
import type { FastifyReply } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';

/** A reader that takes nothing for so long is given up: what is written may hold a connection. */
const patienceMs = 8_000;
/** A reader that takes a little at a time holds the connection no longer than this. */
const mostMs = 120_000;

/** Each holds a connection of the database until it is read: the others are for payments. */
const mostAtOnce = 3;
/** So that one merchant does not keep the others from their files. */
const mostOfClient = 2;
/** The number of files under way, by client. */
const underWay = new Map<string, number>();
const ofAll = (): number => [...underWay.values()].reduce((sum, count) => sum + count, 0);

function count(clientId: string, step: 1 | -1): void {
  const now = (underWay.get(clientId) ?? 0) + step;
  if (now > 0) underWay.set(clientId, now);
  else underWay.delete(clientId);
}

/**
 * Answers 200 with the file's first piece. What is refused before it is thrown, as any refusal; what fails
 * after it breaks the connection, so that nobody takes a part for the whole.
 */
export async function sendFile(
  reply: FastifyReply,
  { file, clientId }: { readonly file: TextFile; readonly clientId: string },
): Promise<FastifyReply> {
  if (ofAll() >= mostAtOnce || (underWay.get(clientId) ?? 0) >= mostOfClient) {
    const message = 'Other files are being made. Ask again in a few seconds.';
    throw new Refusal('rate_limited', { retryAfter: 5, message });
  }
  const stream = new PassThrough();
  const gone = new AbortController();
  stream.on('close', () => gone.abort());
  stream.on('error', () => undefined);
  const whole = AbortSignal.timeout(mostMs);
  const send = async (text: string) => {
    if (stream.destroyed) throw new Error('the reader of a file has gone');
    if (stream.write(text)) return;
    const signal = AbortSignal.any([gone.signal, whole, AbortSignal.timeout(patienceMs)]);
    await once(stream, 'drain', { signal });
  };
  const begun = Promise.withResolvers<string>();
  count(clientId, 1);
  void file
    .write((name) => {
      begun.resolve(name);
      return send;
    })
    .then(() => {
      begun.reject(new Error('a file was not begun'));
      stream.end();
    })
    .catch((error: Error) => {
      begun.reject(error);
      stream.destroy(error);
    })
    .finally(() => {
      count(clientId, -1);
    });
  const name = await begun.promise;
  return reply
    .code(200)
    .header('content-type', `${file.type}; charset=utf-8`)
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'no-store')
    .send(stream);
}
