// The hashing of passwords: scrypt (RFC 7914) in a PHC string. Each hash takes 32 MB and about 80
// ms of a core, so few run at once and a crowd is turned away.

import { randomBytes as nodeRandomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import {
  isPasswordStrong,
  normalizePassword,
  passwordLength,
} from '../../../domain/people/password.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import { openFairQueue } from './fair-queue.ts';

type Cost = { readonly ln: number; readonly r: number; readonly p: number };
type StoredHash = Cost & { readonly salt: Buffer; readonly key: Buffer };

/** The cost of the product, as the `ln` of a scrypt string. */
export const passwordCost = 15;

type CostPort = Pick<Ports, 'passwordCost'>;
const costOf = (ports: CostPort): Cost => ({ ln: ports.passwordCost ?? passwordCost, r: 8, p: 1 });
const keyLength = 32;
const saltLength = 16;

const turns = openFairQueue({ atOnce: 2, mostWaiting: 64, mostOfOnePlace: 16 });

/** The queue's place for callers who have proved something already, such as access to a mailed link. */
const proven = 'proven';

/** Runs the work when its turn comes; refuses service_unavailable when too many are waiting. */
async function runInTurn<T>(place: string, work: () => Promise<T>): Promise<T> {
  if (!(await turns.enter(place))) return refuse('service_unavailable');
  try {
    return await work();
  } finally {
    turns.leave();
  }
}

type DeriveOptions = Cost & { readonly salt: Buffer; readonly place: string };

function derive(password: string, { salt, place, ln, r, p }: DeriveOptions): Promise<Buffer> {
  const N = 2 ** ln;
  const text = normalizePassword(password);
  return runInTurn(
    place,
    () =>
      new Promise((resolve, reject) => {
        // Twice the memory that RFC 7914 §6 needs, because the library counts its own overhead too.
        scrypt(text, salt, keyLength, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
          error ? reject(error) : resolve(key),
        );
      }),
  );
}

const plainBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

const phc =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

function parse(stored: string): StoredHash {
  const [, ln, r, p, salt = '', key = ''] = phc.exec(stored) ?? [];
  // Every stored value was written by this file, so one of another form is damaged, and no password
  // matches it.
  if (ln === undefined) throw new Error('a stored password is no scrypt string');
  return {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64'),
    key: Buffer.from(key, 'base64'),
  };
}

/** Returns the string that is stored for a password. */
export async function hashPassword(
  password: string,
  ports: CostPort & Pick<Ports, 'randomBytes'>,
): Promise<string> {
  const salt = ports.randomBytes(saltLength);
  const cost = costOf(ports);
  const key = await derive(password, { ...cost, salt, place: proven });
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${plainBase64(salt)}$${plainBase64(key)}`;
}

/** Random values to compare with when the account has no password, so that the answer takes as long. */
const nobody = {
  salt: nodeRandomBytes(saltLength),
  key: nodeRandomBytes(keyLength),
};

type Comparison = {
  readonly stored: string | null;
  readonly ports: CostPort;
  readonly place?: string;
};

/**
 * Whether the password is the stored one. `stored` null, for an account without a password, takes
 * as long and never matches. `place` is where the try comes from: tries from one place wait in one
 * line.
 */
export async function verifyPassword(
  password: string,
  { stored, ports, place = proven }: Comparison,
): Promise<boolean> {
  const kept = stored === null ? { ...costOf(ports), ...nobody } : parse(stored);
  const key = await derive(password, { ...kept, place });
  return timingSafeEqual(key, kept.key) && stored !== null;
}

/** True when the password was stored at another cost than the present one. */
export function needsRehash(stored: string, ports: CostPort): boolean {
  const { ln, r, p } = parse(stored);
  const today = costOf(ports);
  return ln !== today.ln || r !== today.r || p !== today.p;
}

/**
 * Refuses password_too_weak when the password is too short, too long or easy to guess. `about`: the
 * address, name and other facts of the owner that are no secret.
 */
export function refuseWeakPassword(password: string, about: readonly (string | null)[]): void {
  const known = about.filter((each) => each !== null);
  if (isPasswordStrong(password, known)) return;
  const { least, most } = passwordLength;
  refuse('password_too_weak', {
    param: 'password',
    message: `Choose a password of ${least} to ${most} characters that is not a common one.`,
  });
}
