// The body of an answer: a number of bytes, chunks (RFC 9112 §7.1), or everything until the connection ends.

/** How the end of a body is found. A number is its length in bytes. */
export type Framing = number | 'chunked' | 'until closed';

/**
 * The part of a chunked body that comes next: the size line of a chunk, its bytes, the line end
 * after them, or a line of the trailer.
 */
type Part = 'size' | 'bytes' | 'end' | 'trailer';

const sizeLine = /^([\da-f]{1,8})[ \t]*(?:;.*)?$/i;
const longestLine = 1024;
const mostTrailers = 100;

export class BodyReader {
  /** True while the other side has sent exactly a valid body and no bytes after it. */
  isExact = true;
  readonly #kept: Buffer[] = [];
  #room: number;
  readonly #framing: Framing;
  #left: number;
  #part: Part = 'size';
  #line = '';
  #trailers = 0;

  constructor(framing: Framing, room: number) {
    this.#framing = framing;
    this.#room = room;
    this.#left = typeof framing === 'number' ? framing : 0;
  }

  get bytes(): Buffer {
    const [first = Buffer.alloc(0), ...more] = this.#kept;
    return more.length === 0 ? first : Buffer.concat(this.#kept);
  }

  /**
   * Reads the next piece. Returns true when nothing more has to be read: the body is complete or
   * invalid, or the space for it is full.
   */
  push(bytes: Buffer): boolean {
    if (this.#framing === 'chunked') return this.#pushChunks(bytes);
    if (this.#framing === 'until closed') return this.#keep(bytes);
    const own = bytes.subarray(0, this.#left);
    this.#left -= own.length;
    if (own.length < bytes.length) this.isExact = false;
    return this.#keep(own) || this.#left === 0;
  }

  /** Keeps bytes; returns true when the space is full. */
  #keep(bytes: Buffer): boolean {
    if (bytes.length === 0) return false;
    // Copied, because the caller's buffer is used again.
    this.#kept.push(Buffer.from(bytes.subarray(0, this.#room)));
    this.#room -= bytes.length;
    if (this.#room > 0) return false;
    this.isExact = false;
    return true;
  }

  #pushChunks(bytes: Buffer): boolean {
    let at = 0;
    while (at < bytes.length) {
      if (this.#part === 'bytes') {
        const own = bytes.subarray(at, at + this.#left);
        at += own.length;
        this.#left -= own.length;
        if (this.#keep(own)) return true;
        if (this.#left === 0) this.#part = 'end';
        continue;
      }
      const newline = bytes.indexOf('\n', at);
      const end = newline < 0 ? bytes.length : newline + 1;
      this.#line += bytes.toString('latin1', at, end);
      at = end;
      if (this.#line.length > longestLine) return this.#break();
      if (newline < 0) return false;
      const isOver = this.#endLine();
      if (isOver) {
        if (at < bytes.length) this.isExact = false;
        return true;
      }
    }
    return false;
  }

  /** Handles a complete line; returns true at the end of the body. */
  #endLine(): boolean {
    if (!this.#line.endsWith('\r\n')) return this.#break();
    const line = this.#line.slice(0, -2);
    this.#line = '';
    if (this.#part === 'trailer') {
      this.#trailers += 1;
      return line === '' || (this.#trailers > mostTrailers && this.#break());
    }
    if (this.#part === 'end') {
      this.#part = 'size';
      return line !== '' && this.#break();
    }
    const [, size] = sizeLine.exec(line) ?? [];
    if (size === undefined) return this.#break();
    this.#left = Number.parseInt(size, 16);
    this.#part = this.#left === 0 ? 'trailer' : 'bytes';
    return false;
  }

  /** Ends an invalid body. What was kept stays, because the status has arrived and is the answer. */
  #break(): true {
    this.isExact = false;
    return true;
  }
}
