// Everything secret that a first start makes, in one file that only its owner can read.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type DatabaseKeys, databaseOf, foldersOf } from './database.ts';

/** The form of a data folder, stored with its keys. It changes when older folders cannot be used any more. */
const form = 1;

export type Keys = DatabaseKeys & {
  /** Key-encryption key of the service. */
  readonly serviceKey: string;
  readonly vaultKey: string;
  readonly sharedKey: string;
  readonly sandboxKey: string;
  /** The seed of the provider's keys and of its webhook secret. */
  readonly sandboxSeed: string;
  /** The demo owner's first password: the owner may have chosen another one since. */
  readonly ownerPassword: string;
  /** Printed at each start, so that it stays usable: a sandbox has no secrets to protect. */
  readonly merchant: Merchant | null;
};

export type Merchant = {
  readonly clientId: string;
  readonly apiToken: string;
  readonly userId: string;
  readonly gatewayId: string;
  readonly webhookSecret: string;
  readonly productCode: string;
  /** The provider's webhook endpoint that delivers to the service. */
  readonly notices: { readonly endpointId: string; readonly secret: string };
  /** The wallet's webhook that delivers to the service. */
  readonly walletWebhookId: string;
};

export const sandboxFile = 'sandbox.sqlite';

const fileOf = (folder: string): string => join(folder, 'keys.json');

/** Throws for a folder from before the first release, and changes nothing in it. */
function refuseOlder(folder: string): void {
  const file = fileOf(folder);
  if (!existsSync(file)) return;
  let kept: { form?: number };
  try {
    kept = JSON.parse(readFileSync(file, 'utf8')) as { form?: number };
  } catch {
    // `readKeys` says what to do about broken keys.
    return;
  }
  if (kept.form === form) return;
  throw new Error(
    `The data folder ${folder} was made before version 0.1.0 and cannot be used: ` +
      `remove ${foldersOf(folder).join(' and ')}, or choose another with --data DIR. Nothing was changed.`,
  );
}

/** Makes the data folder. Throws one sentence that states what to do. */
export function openFolder(folder: string): void {
  refuseOlder(folder);
  try {
    mkdirSync(join(folder, 'logs'), { recursive: true, mode: 0o700 });
    const probe = join(folder, `.probe-${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
    // The sandbox stores its test keys in this file. It is made first, with permissions that let nobody
    // else read it.
    writeFileSync(join(folder, sandboxFile), '', { flag: 'a', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `The data folder ${folder} cannot be written (${code}). ` +
        'Make it writable or choose another with --data DIR.',
    );
  }
}

/** Returns the keys of the folder, which the first start makes. */
export function readKeys(folder: string): Keys {
  const file = fileOf(folder);
  if (existsSync(file)) {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Keys;
    } catch {
      throw new Error(
        `${file} is not readable. Without these keys the data in ${folder} cannot be opened: ` +
          'restore the file, or start afresh with another --data DIR.',
      );
    }
  }
  // New keys could not open the existing data, and would be in the way when the right ones are restored.
  if (databaseOf(folder) !== undefined) {
    throw new Error(
      `${file} is missing, and the database of this folder opens with these keys alone: restore ` +
        `the file. To start afresh without its data, remove ${foldersOf(folder).join(' and ')}.`,
    );
  }
  const key = () => randomBytes(32).toString('base64');
  const password = () => randomBytes(24).toString('base64url');
  const keys: Keys = {
    serviceKey: key(),
    vaultKey: key(),
    sharedKey: key(),
    sandboxKey: key(),
    sandboxSeed: key(),
    databasePasswords: {
      svc_owner: password(),
      svc_service: password(),
      svc_vault: password(),
    },
    ownerPassword: newPassword(),
    merchant: null,
  };
  writeKeys(folder, keys);
  return keys;
}

// No letters and digits that look alike; 32 characters, so that each carries five random bits.
const passwordSigns = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Four groups of four characters, 80 random bits. */
const newPassword = (): string =>
  [...randomBytes(16)]
    .map((byte, at) => `${at > 0 && at % 4 === 0 ? '-' : ''}${passwordSigns[byte % 32]}`)
    .join('');

/**
 * Written to another file and renamed, so that a kill leaves either the old file or the new one. It is on
 * disk when this returns, because data sealed with the keys may survive a power cut.
 */
export function writeKeys(folder: string, keys: Keys): void {
  const draft = `${fileOf(folder)}.${process.pid}`;
  withOpen(draft, 'w', (fd) => {
    fchmodSync(fd, 0o600);
    writeFileSync(fd, `${JSON.stringify({ form, ...keys }, null, 2)}\n`);
    fsyncSync(fd);
  });
  renameSync(draft, fileOf(folder));
  // Windows cannot open a folder, and stores names by itself.
  if (process.platform !== 'win32') withOpen(folder, 'r', fsyncSync);
}

function withOpen(path: string, flags: 'r' | 'w', work: (fd: number) => void): void {
  const fd = openSync(path, flags, 0o600);
  try {
    work(fd);
  } finally {
    closeSync(fd);
  }
}

/** Writes the service's settings to a file, so that `npm run svc` uses the same database. */
export function writeEnvironment(folder: string, env: Readonly<Record<string, string>>): void {
  const draft = join(folder, `service.env.${process.pid}`);
  const lines = Object.entries(env).map(([name, value]) => {
    // A folder's name may contain a quote, and quotes cannot be escaped in this file.
    const quote = ["'", '"', '`'].find((one) => !value.includes(one)) ?? '';
    return `${name}=${quote}${value}${quote}\n`;
  });
  writeFileSync(draft, lines.join(''), { mode: 0o600 });
  renameSync(draft, join(folder, 'service.env'));
}
