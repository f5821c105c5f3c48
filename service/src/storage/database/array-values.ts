// Arrays in PostgreSQL's own binary format. As text, every quote of every element is escaped here
// and parsed again there, which costs a batch more than the rest of its statement.

/** How the elements of one type are written. */
export type ElementType = {
  /** The type's OID in the system catalog, the same in every database. */
  readonly oid: number;
  readonly sqlName: string;
  /** The type of the stored column, where it differs from that of the parameter. */
  readonly storedAs?: string;
  size(value: never): number;
  /** Writes exactly `size` bytes at `at`. */
  write(into: Buffer, at: number, value: never): void;
};

const elementType = <Value>(
  oid: number,
  sqlName: string,
  size: (value: Value) => number,
  write: (into: Buffer, at: number, value: Value) => void,
): ElementType => ({ oid, sqlName, size, write });

// Microseconds since the year 2000, which is where PostgreSQL counts from.
const epochMs = Date.UTC(2000, 0, 1);

export const uuids = elementType<string>(
  2950,
  'uuid',
  () => 16,
  (into, at, value) => void into.write(value.replaceAll('-', ''), at, 16, 'hex'),
);
export const texts = elementType<string>(
  25,
  'text',
  (value) => Buffer.byteLength(value),
  (into, at, value) => void into.write(value, at),
);
/** Decimal numbers as text, exact; a statement casts them to `numeric` where it stores them. */
export const decimals: ElementType = { ...texts, storedAs: 'numeric' };
export const byteStrings = elementType<Buffer>(
  17,
  'bytea',
  (value) => value.length,
  (into, at, value) => void value.copy(into, at),
);
export const integers = elementType<number>(
  23,
  'int',
  () => 4,
  (into, at, value) => void into.writeInt32BE(value, at),
);
export const bigIntegers = elementType<number>(
  20,
  'bigint',
  () => 8,
  (into, at, value) => void into.writeBigInt64BE(BigInt(value), at),
);
export const doubles = elementType<number>(
  701,
  'double precision',
  () => 8,
  (into, at, value) => void into.writeDoubleBE(value, at),
);
export const instants = elementType<Date>(
  1184,
  'timestamptz',
  () => 8,
  (into, at, value) => void into.writeBigInt64BE(BigInt(value.getTime() - epochMs) * 1000n, at),
);

export const booleans = elementType<boolean>(
  16,
  'boolean',
  () => 1,
  (into, at, value) => void into.writeUInt8(value ? 1 : 0, at),
);
/** JSON, given as text. */
export const jsonTexts = elementType<string>(
  3802,
  'jsonb',
  (value) => 1 + Buffer.byteLength(value),
  (into, at, value) => {
    // The version of the jsonb format, followed by the text.
    into.writeUInt8(1, at);
    into.write(value, at + 1);
  },
);

const headerSize = 20;

/** Encodes a parameter of type `<element>[]` with one dimension; null and undefined become null. */
export function arrayValue(type: ElementType, values: readonly unknown[]): Buffer {
  let size = headerSize;
  for (const value of values) size += 4 + (value == null ? 0 : type.size(value as never));
  const buffer = Buffer.allocUnsafe(size);
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(1, 4);
  buffer.writeInt32BE(type.oid, 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16);
  let at = headerSize;
  for (const value of values) {
    const length = value == null ? -1 : type.size(value as never);
    buffer.writeInt32BE(length, at);
    at += 4;
    if (length < 0) continue;
    type.write(buffer, at, value as never);
    at += length;
  }
  return buffer;
}

/** Turns one row per request into one array per column of these types, as `unnest` takes them. */
export const packColumns = (
  types: readonly ElementType[],
  rows: readonly (readonly unknown[])[],
): Buffer[] =>
  types.map((type, at) =>
    arrayValue(
      type,
      rows.map((row) => row[at]),
    ),
  );
