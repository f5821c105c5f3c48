// Passwords at rest: scrypt (RFC 7914) in a PHC string. Each takes 32 MB and some 80 ms of a core, so
// that few run at once and a crowd is turned away.

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
type Stored = Cost & { readonly salt: Buffer; readonly key: Buffer };

const today: Cost = { ln: 15, r: 8, p: 1 };
const keyLength = 32;
const saltLength = 16;

const turns = openFairQueue({ atOnce: 2, mostWaiting: 64, mostOfOnePlace: 16 });

/** Of those who have proved something already, as by a mailed link. */
const proven = 'proven';

/** Runs when there is room; refuses service_unavailable to those whom it would keep for seconds. */
async function inTurn<T>(place: string, work: () => Promise<T>): Promise<T> {
  if (!(await turns.enter(place))) return refuse('service_unavailable');
  try {
    return await work();
  } finally {
    turns.leave();
  }
}

type Wish = Cost & { readonly salt: Buffer; readonly place: string };

function derive(password: string, { salt, place, ln, r, p }: Wish): Promise<Buffer> {
  const N = 2 ** ln;
  const text = normalizePassword(password);
  return inTurn(
    place,
    () =>
      new Promise((resolve, reject) => {
        // Twice what RFC 7914 §6 needs: the library counts its own overhead too.
        scrypt(text, salt, keyLength, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
          error ? reject(error) : resolve(key),
        );
      }),
  );
}

const plain = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

const phc =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

function parse(stored: string): Stored {
  const [, ln, r, p, salt = '', key = ''] = phc.exec(stored) ?? [];
  // A stored value is our own; one of another shape is damage, and no password is right for it.
  if (ln === undefined) throw new Error('a stored password is no scrypt string');
  return {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64'),
    key: Buffer.from(key, 'base64'),
  };
}

/** What is stored of a password. */
export async function hashPassword(
  password: string,
  ports: Pick<Ports, 'randomBytes'>,
): Promise<string> {
  const salt = ports.randomBytes(saltLength);
  const key = await derive(password, { ...today, salt, place: proven });
  return `$scrypt$ln=${today.ln},r=${today.r},p=${today.p}$${plain(salt)}$${plain(key)}`;
}

/** Nobody's: what is compared where there is no password, so that it takes as long. */
const nobody: Stored = {
  ...today,
  salt: nodeRandomBytes(saltLength),
  key: nodeRandomBytes(keyLength),
};

/**
 * Whether it is the stored one. Null, where there is none, takes as long and is never right. `place`:
 * where a stranger typed it, behind whose own tries it waits.
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
  place = proven,
): Promise<boolean> {
  const kept = stored === null ? nobody : parse(stored);
  const key = await derive(password, { ...kept, place });
  return timingSafeEqual(key, kept.key) && stored !== null;
}

/** True when it was stored at another cost than today's. */
export function needsRehash(stored: string): boolean {
  const { ln, r, p } = parse(stored);
  return ln !== today.ln || r !== today.r || p !== today.p;
}

/**
 * Refuses password_too_weak: too short, too long, or guessed first. `about`: address, name and
 * whatever else of the owner is no secret.
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
