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
/** A kept file holds none, and may be large. */
const mostMsOfKept = 3_600_000;

/** The limit keeps one merchant from blocking the files of the others. */
const mostOfClient = 2;

/** Counts the files under way, so that no more than a number of them are read at the same time. */
class FileSlots {
  readonly #most: number;
  readonly #underWay = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  isFull(clientId: string): boolean {
    const all = [...this.#underWay.values()].reduce((sum, count) => sum + count, 0);
    return all >= this.#most || (this.#underWay.get(clientId) ?? 0) >= mostOfClient;
  }

  count(clientId: string, step: 1 | -1): void {
    const now = (this.#underWay.get(clientId) ?? 0) + step;
    if (now > 0) this.#underWay.set(clientId, now);
    else this.#underWay.delete(clientId);
  }
}

/** Each file that is made while it is read holds a connection of the database: the others are for payments. */
const made = new FileSlots(3);
/** A kept file holds a piece of itself in memory. */
const kept = new FileSlots(8);

/**
 * Answers 200 with the file's first piece. What is refused before it is thrown, as any refusal; what fails
 * after it breaks the connection, so that nobody takes a part for the whole.
 */
export async function sendFile(
  reply: FastifyReply,
  { file, clientId }: { readonly file: TextFile; readonly clientId: string },
): Promise<FastifyReply> {
  const slots = file.isKept ? kept : made;
  if (slots.isFull(clientId)) {
    const message = 'Other files are being read. Ask again in a few seconds.';
    throw new Refusal('rate_limited', { retryAfter: 5, message });
  }
  const stream = new PassThrough();
  const gone = new AbortController();
  stream.on('close', () => gone.abort());
  stream.on('error', () => undefined);
  const whole = AbortSignal.timeout(file.isKept ? mostMsOfKept : mostMs);
  const sendChunk = async (text: string) => {
    if (stream.destroyed) throw new Error('the reader of a file has gone');
    if (stream.write(text)) return;
    const signal = AbortSignal.any([gone.signal, whole, AbortSignal.timeout(patienceMs)]);
    await once(stream, 'drain', { signal });
  };
  const begun = Promise.withResolvers<string>();
  slots.count(clientId, 1);
  void file
    .write((name) => {
      begun.resolve(name);
      return sendChunk;
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
      slots.count(clientId, -1);
    });
  const name = await begun.promise;
  return reply
    .code(200)
    .header('content-type', `${file.type}; charset=utf-8`)
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'no-store')
    .send(stream);
}
