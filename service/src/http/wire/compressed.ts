// Documents and files with their compressed forms, compressed once. RFC 9110 §8.4, §12.5.3, §13.1.2.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

export type Compressed = {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  /** Null when compression gains nothing. */
  readonly br: Buffer | null;
  readonly gzip: Buffer | null;
};

/** Above this level each step doubles the time and gains one percent. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } };

/** Small files and those of a compressed format are not compressed. Runs off the main thread. */
export async function compress(type: string, content: string | Buffer): Promise<Compressed> {
  const plain = Buffer.from(content);
  const isText = /^text|json|svg/.test(type) && plain.length > 1024;
  const [br, zipped] = isText
    ? await Promise.all([promisify(brotliCompress)(plain, quality), promisify(gzip)(plain)])
    : [null, null];
  const hash = createHash('sha256').update(plain).digest('base64url');
  // A weak tag, because all encodings of the content share it.
  return { type, etag: `W/"${hash.slice(0, 22)}"`, plain, br, gzip: zipped };
}

/** Returns whether `Accept-Encoding` accepts the coding; a weight of 0 refuses it. */
function acceptsCoding(accepted: string, coding: string): boolean {
  return accepted.split(',').some((part) => {
    const [name = '', ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    return name === coding && !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one));
  });
}

/** Sends the best encoding that the caller accepts. */
export function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, plain, br, gzip: zipped }: Compressed,
): FastifyReply {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  reply.header('content-type', type);
  if (br || zipped) reply.header('vary', 'Accept-Encoding');
  if (br && acceptsCoding(accepted, 'br')) return reply.header('content-encoding', 'br').send(br);
  if (zipped && acceptsCoding(accepted, 'gzip')) {
    return reply.header('content-encoding', 'gzip').send(zipped);
  }
  return reply.send(plain);
}

/**
 * Like `sendCompressed`, but cached by browsers for five minutes; sends 304 to a caller that has
 * this content.
 */
export function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  document: Compressed,
): FastifyReply {
  reply.headers({ 'cache-control': 'public, max-age=300', etag: document.etag });
  const known = String(request.headers['if-none-match'] ?? '').split(',');
  const tag = document.etag.replace('W/', '');
  if (known.some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')))) {
    return reply.code(304).header('vary', 'Accept-Encoding').send();
  }
  return sendCompressed(request, reply, document);
}
