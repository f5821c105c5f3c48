import { randomFillSync } from 'node:crypto';
import { crockford } from '../../domain/protocol/crockford.ts';

const pool = Buffer.alloc(4096);
let used = pool.length;

/** Returns `req_` and 26 characters in Crockford's base32: 48 bits of time, 80 random bits. */
export function newRequestId(): string {
  let time = Date.now();
  let id = '';
  for (let i = 0; i < 10; i++) {
    id = crockford.charAt(time % 32) + id;
    time = Math.floor(time / 32);
  }
  // One call to the random source serves many requests.
  if (used + 16 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  for (let i = 0; i < 16; i++) id += crockford.charAt((pool[used++] ?? 0) % 32);
  return `req_${id}`;
}
