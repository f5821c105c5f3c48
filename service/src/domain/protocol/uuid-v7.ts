import { pooled } from './random-pool.ts';

/**
 * A UUID v7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, then `sequence` (12 bits, to order ids
 * of one millisecond), then 62 random bits out of `random` (8 bytes).
 */
export function uuidV7(unixMs: number, sequence: number, random: Buffer): string {
  const time = unixMs.toString(16).padStart(12, '0');
  const order = (0x7000 | (sequence & 0x0fff)).toString(16);
  const rest = random.toString('hex', 0, 8);
  const variant = ((Number.parseInt(rest.slice(0, 1), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-${order}-${variant}${rest.slice(1, 4)}-${rest.slice(4)}`;
}

/** A source of ascending ids; when the sequence of a millisecond is used up, it continues in the next one. */
export function idSource(nowMs: () => number, random: (size: number) => Buffer): () => string {
  let lastMs = 0;
  let sequence = 0;
  const drawn = pooled(random);
  return () => {
    const now = nowMs();
    if (now > lastMs) {
      lastMs = now;
      sequence = 0;
    } else if (++sequence > 0x0fff) {
      lastMs += 1;
      sequence = 0;
    }
    return uuidV7(lastMs, sequence, drawn(8));
  };
}
