// A file that is sent while it is written, no faster than it is read.

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { TextFile } from '@svc/contract/row';
import type { FastifyReply } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';

/** A reader that takes nothing for so long is given up: what is written may hold a connection. */
const patienceMs = 30_000;

/** Each holds a connection of the database until it is read: the others are for payments. */
const mostAtOnce = 3;
let underWay = 0;

/**
 * Answers 200 with the file's first piece. What is refused before it is thrown, as any refusal; what fails
 * after it breaks the connection, so that nobody takes a part for the whole.
 */
export async function sendFile(
  reply: FastifyReply,
  { file }: { readonly file: TextFile },
): Promise<FastifyReply> {
  if (underWay >= mostAtOnce) {
    const message = 'Other files are being made. Ask again in a few seconds.';
    throw new Refusal('rate_limited', { retryAfter: 5, message });
  }
  const stream = new PassThrough();
  const begun = Promise.withResolvers<void>();
  let isBegun = false;
  const begin = () => {
    if (isBegun) return;
    isBegun = true;
    begun.resolve();
  };
  underWay += 1;
  const written = file.write(async (text) => {
    begin();
    if (stream.destroyed) throw new Error('the reader of a file has gone');
    if (stream.write(text)) return;
    await once(stream, 'drain', { signal: AbortSignal.timeout(patienceMs) });
  });
  void written
    .finally(() => {
      underWay -= 1;
    })
    .catch(() => undefined);
  written.then(
    () => {
      begin();
      stream.end();
    },
    (error: Error) => {
      if (isBegun) stream.destroy(error);
      else begun.reject(error);
    },
  );
  stream.on('error', () => undefined);
  await begun.promise;
  return reply
    .code(200)
    .header('content-type', `${file.type}; charset=utf-8`)
    .header('content-disposition', `attachment; filename="${file.name}"`)
    .header('cache-control', 'no-store')
    .send(stream);
}
