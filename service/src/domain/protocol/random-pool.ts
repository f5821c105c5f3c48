/** Bytes that are drawn from the system at once. */
const poolSize = 1024;

/**
 * The same source, asked seldom: each draw from the system costs more than most of what it is drawn
 * for. No byte is given out twice; what is larger than a sixteenth of the pool is drawn by itself.
 */
export function pooled(draw: (size: number) => Buffer): (size: number) => Buffer {
  let left: Buffer = Buffer.alloc(0);
  return (size) => {
    if (size > poolSize / 16) return draw(size);
    if (left.length < size) left = draw(poolSize);
    const taken = left.subarray(0, size);
    left = left.subarray(size);
    return taken;
  };
}
