// Reads the answer to one request from a connection (RFC 9112), in the pieces in which it arrives.
// The receiver may be anybody: an answer that is not plainly valid is rejected, and head and body
// have a maximum size.
import { BodyReader, type Framing } from './body-reader.ts';

export const maxAnswerBytes = 16 * 1024;

/** Thrown when the bytes are not HTTP or not an answer to this request, or when the head is too large. */
export class BadAnswer extends Error {
  constructor() {
    super('bad_answer');
    this.name = 'BadAnswer';
  }
}

const headEnd = Buffer.from('\r\n\r\n');
const firstBytes = Buffer.from('HTTP/1.');
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
/** Only CRLF ends a line (RFC 9112 §2.2 allows a reader to be this strict). */
const strayEnd = /(?:^|[^\r])\n|\r(?!\n)|\0/;
const fieldName = /^[!#$%&'*+.^_`|~\w-]+$/;

export class AnswerReader {
  /** 0 until the status line has been read. */
  status = 0;
  retryAfter: string | undefined;
  date: string | undefined;
  /** How long the receiver keeps the connection, from `Keep-Alive: timeout=n`, in milliseconds. */
  keptForMs: number | undefined;
  /** Whether the connection can carry another request once the whole answer has been read. */
  canStay = false;
  #head: Buffer | undefined;
  /** The size of all heads, including those of interim answers. */
  #headBytes = 0;
  #body: BodyReader | undefined;

  /** The part of the body that has arrived so far and is kept. */
  get body(): Buffer {
    return this.#body?.bytes ?? Buffer.alloc(0);
  }

  /**
   * Reads the next piece. Returns true when the answer is complete or has reached the length that
   * is stored. Throws `BadAnswer`.
   */
  push(bytes: Buffer): boolean {
    if (this.#body) return this.#read(this.#body, bytes);
    const got = this.#head ? Buffer.concat([this.#head, bytes]) : bytes;
    const end = got.indexOf(headEnd);
    if ((end < 0 ? got.length : end) > maxAnswerBytes || !isBegun(got)) throw new BadAnswer();
    if (end < 0) {
      // Copied, because the caller's buffer is used again.
      this.#head = this.#head ? got : Buffer.from(got);
      return false;
    }
    this.#head = undefined;
    this.#headBytes += end;
    if (this.#headBytes > maxAnswerBytes) throw new BadAnswer();
    const framing = this.#readHead(got.toString('latin1', 0, end));
    const rest = got.subarray(end + headEnd.length);
    if (framing === undefined) return rest.length > 0 && this.push(rest);
    this.#body = new BodyReader(framing, maxAnswerBytes);
    return this.#read(this.#body, rest);
  }

  #read(body: BodyReader, bytes: Buffer): boolean {
    if (!body.push(bytes)) return false;
    // Bytes after the answer belong to no request, so nothing more on this connection can be trusted.
    if (!body.isExact) this.canStay = false;
    return true;
  }

  /**
   * Reads a head, and returns how the end of the body is found; undefined for an interim answer,
   * which another follows.
   */
  #readHead(head: string): Framing | undefined {
    if (strayEnd.test(head)) throw new BadAnswer();
    const [first = '', ...lines] = head.split('\r\n');
    const [, minor, code] = statusLine.exec(first) ?? [];
    const status = Number(code ?? 0);
    // No upgrade to another protocol was requested.
    if (status < 100 || status === 101) throw new BadAnswer();
    const fields = readFields(lines);
    if (status < 200) return undefined;
    const framing = framingOf(status, fields);
    this.status = status;
    this.retryAfter = fields.get('retry-after');
    this.date = fields.get('date');
    const seconds = /(?:^|[ ,;])timeout=(\d{1,6})/i.exec(fields.get('keep-alive') ?? '')?.[1];
    this.keptForMs = seconds === undefined ? undefined : Number(seconds) * 1000;
    const isClosing = /(?:^|[ ,])close(?:$|[ ,])/i.test(fields.get('connection') ?? '');
    this.canStay = minor === '1' && !isClosing && framing !== 'until closed';
    return framing;
  }
}

function isBegun(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, firstBytes.length);
  return firstBytes.compare(bytes, 0, length, 0, length) === 0;
}

/**
 * Reads the header fields. Of a repeated name the first value counts, but all values of those in
 * `isList` are joined.
 */
function readFields(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon));
    if (!fieldName.test(name)) throw new BadAnswer();
    const key = name.toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = fields.get(key);
    if (before === undefined) fields.set(key, value);
    else if (isList.has(key)) fields.set(key, `${before}, ${value}`);
  }
  return fields;
}

const isList = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive']);

/**
 * RFC 9112 §6.3. A length together with a coding, or two lengths, are used to smuggle answers, so
 * they are rejected.
 */
function framingOf(status: number, fields: ReadonlyMap<string, string>): Framing {
  const coding = fields.get('transfer-encoding');
  const length = fields.get('content-length');
  if (length !== undefined && (coding !== undefined || !/^\d{1,15}$/.test(length))) {
    throw new BadAnswer();
  }
  if (status === 204 || status === 304) return 0;
  if (coding !== undefined) return /^chunked$/i.test(coding) ? 'chunked' : 'until closed';
  return length === undefined ? 'until closed' : Number(length);
}
