// Reads the answer to one request off a connection (RFC 9112), in the pieces in which it comes, from
// a receiver who may be anybody: what is not plainly right is no answer, and both parts are bounded.
import { BodyReader, type Framing } from './body-reader.ts';

export const maxAnswerBytes = 16 * 1024;

/** Not HTTP, not an answer to this request, or too large a head. */
export class BadAnswer extends Error {
  constructor() {
    super('bad_answer');
    this.name = 'BadAnswer';
  }
}

const headEnd = Buffer.from('\r\n\r\n');
const firstBytes = Buffer.from('HTTP/1.');
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
/** Only CRLF ends a line (RFC 9112 §2.2 lets a reader be this strict). */
const strayEnd = /(?:^|[^\r])\n|\r(?!\n)|\0/;
const fieldName = /^[!#$%&'*+.^_`|~\w-]+$/;

export class AnswerReader {
  /** 0: none has come yet. */
  status = 0;
  retryAfter: string | undefined;
  date: string | undefined;
  /** How long the receiver says that it keeps the connection (`Keep-Alive: timeout=n`). */
  keptForMs: number | undefined;
  /** The connection can carry another request, once all has been read. */
  canStay = false;
  #head: Buffer | undefined;
  /** Of all heads, those of interim answers too. */
  #headBytes = 0;
  #body: BodyReader | undefined;

  /** Of the body, what has come so far and is kept. */
  get body(): Buffer {
    return this.#body?.bytes ?? Buffer.alloc(0);
  }

  /** True when the answer is whole, or as much of it has come as is kept. Throws `BadAnswer`. */
  push(bytes: Buffer): boolean {
    if (this.#body) return this.#read(this.#body, bytes);
    const got = this.#head ? Buffer.concat([this.#head, bytes]) : bytes;
    const end = got.indexOf(headEnd);
    if ((end < 0 ? got.length : end) > maxAnswerBytes || !isBegun(got)) throw new BadAnswer();
    if (end < 0) {
      // The bytes belong to whoever read them.
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
    // What follows the answer was not asked for: nothing on this connection can be believed.
    if (!body.isExact) this.canStay = false;
    return true;
  }

  /** How the body is told apart from what follows; undefined: an interim answer, another comes. */
  #readHead(head: string): Framing | undefined {
    if (strayEnd.test(head)) throw new BadAnswer();
    const [first = '', ...lines] = head.split('\r\n');
    const [, minor, code] = statusLine.exec(first) ?? [];
    const status = Number(code ?? 0);
    // Nobody asked for another protocol.
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

/** The first of each name that is read here; of a length and a coding, all. */
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

/** RFC 9112 §6.3. A length beside a coding, or two lengths, is how answers are smuggled. */
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
