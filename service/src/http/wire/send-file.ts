// Sends a file while it is being written, no faster than the reader takes it.

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { TextFile } from '@svc/contract/rows/row';
import type { FastifyReply } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';

/**
 * After this time the connection of a reader that takes nothing is closed: the writing may hold a connection of the
 * database.
 */
const patienceMs = 8_000;
/** The most time for a whole file, however slowly its reader takes it. */
const mostMs = 120_000;
/** The same for a kept file, which holds no connection of the database and may be large. */
const mostMsOfKept = 3_600_000;

/** The most files of one merchant at a time, so that no merchant blocks the files of the others. */
const mostOfClient = 2;

/** Counts the files that are being sent, and limits their number. */
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

/** A file that is made while it is sent holds a connection of the database. The other connections are for payments. */
const madeFileSlots = new FileSlots(3);
/** Each kept file that is being sent holds one of its pieces in memory. */
const keptFileSlots = new FileSlots(8);

type SentFile = {
  readonly file: TextFile;
  readonly clientId: string;
  /** Throws when the reader may not read any more. */
  readonly readAgain: () => Promise<void>;
};

/**
 * Responds with 200 once the file's first piece is there. Before that it throws refusals as usual. A failure
 * after that breaks the connection, so that nobody mistakes a part of the file for the whole file.
 */
export async function sendFile(
  reply: FastifyReply,
  { file, clientId, readAgain }: SentFile,
): Promise<FastifyReply> {
  const slots = file.isKept ? keptFileSlots : madeFileSlots;
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
    await readAgain();
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
