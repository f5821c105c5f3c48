// The part of CBOR (RFC 8949) that authenticators send: numbers, bytes, texts, arrays and maps of
// definite length. Everything else is refused.

export type Cbor =
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | readonly Cbor[]
  | ReadonlyMap<Cbor, Cbor>;

/** Not CBOR, or not the part of it that is read here. */
export class CborMalformed extends Error {
  constructor(why: string) {
    super(`malformed CBOR: ${why}`);
    this.name = 'CborMalformed';
  }
}

const deepest = 8;

class Reader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  value(depth = 0): Cbor {
    if (depth > deepest) throw new CborMalformed('too deep');
    const first = this.#take(1).readUInt8();
    const kind = first >> 5;
    if (kind === 7) return simple(first & 31);
    const count = this.#count(first & 31);
    if (kind === 0) return count;
    if (kind === 1) return -1 - count;
    if (kind === 2) return Uint8Array.from(this.#take(count));
    if (kind === 3) return this.#text(count);
    if (kind === 4) return this.#array(count, depth);
    if (kind === 5) return this.#map(count, depth);
    throw new CborMalformed('a tag');
  }

  #take(length: number): Buffer {
    const end = this.at + length;
    if (end > this.#bytes.length) throw new CborMalformed('cut short');
    const part = this.#bytes.subarray(this.at, end);
    this.at = end;
    return part;
  }

  #count(size: number): number {
    if (size < 24) return size;
    if (size === 24) return this.#take(1).readUInt8();
    if (size === 25) return this.#take(2).readUInt16BE();
    if (size === 26) return this.#take(4).readUInt32BE();
    throw new CborMalformed('a length that is too long or open');
  }

  #text(length: number): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(this.#take(length));
    } catch {
      throw new CborMalformed('a text');
    }
  }

  #array(count: number, depth: number): Cbor[] {
    const values: Cbor[] = [];
    for (let n = 0; n < count; n++) values.push(this.value(depth + 1));
    return values;
  }

  #map(count: number, depth: number): Map<Cbor, Cbor> {
    const values = new Map<Cbor, Cbor>();
    for (let n = 0; n < count; n++) {
      const key = this.value(depth + 1);
      if (values.has(key)) throw new CborMalformed('a key twice');
      values.set(key, this.value(depth + 1));
    }
    return values;
  }
}

function simple(value: number): Cbor {
  if (value === 20) return false;
  if (value === 21) return true;
  if (value === 22) return null;
  throw new CborMalformed('a float or an unknown value');
}

/** The first value, and how many bytes it takes. Throws CborMalformed. */
export function readCbor(bytes: Uint8Array): { readonly value: Cbor; readonly length: number } {
  const reader = new Reader(bytes);
  const value = reader.value();
  return { value, length: reader.at };
}
