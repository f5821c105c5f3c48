/** How many bytes are drawn from the system at once. */
const poolSize = 1024;

/**
 * Returns the same source with fewer draws: each draw from the system costs more than most uses of
 * its bytes. No byte is returned twice; a request of more than a sixteenth of the pool is drawn by
 * itself.
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
