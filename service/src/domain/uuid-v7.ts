/**
 * A UUID v7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, then `sequence` (12 bits, to order ids
 * of one millisecond), then 62 random bits out of `random` (8 bytes).
 */
export function uuidV7(unixMs: number, sequence: number, random: Buffer): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(unixMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | (sequence & 0x0fff), 6);
  random.copy(bytes, 8, 0, 8);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

/** A source of ascending ids; steps into the next millisecond when one is used up. */
export function idSource(nowMs: () => number, random: (size: number) => Buffer): () => string {
  let lastMs = 0;
  let sequence = 0;
  // Drawn for many ids at once: each draw costs more than all else here together.
  let drawn: Buffer = Buffer.alloc(0);
  const draw = (): Buffer => {
    if (drawn.length === 0) drawn = random(8 * 128);
    const eight = drawn.subarray(0, 8);
    drawn = drawn.subarray(8);
    return eight;
  };
  return () => {
    const now = nowMs();
    if (now > lastMs) {
      lastMs = now;
      sequence = 0;
    } else if (++sequence > 0x0fff) {
      lastMs += 1;
      sequence = 0;
    }
    return uuidV7(lastMs, sequence, draw());
  };
}
