// Sealed secrets that belong to no client: those of people's accounts and of the service itself.
// The key is derived from the key-encryption key (HKDF, RFC 5869), and a value is bound to its
// place.

import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { SealedUnreadable } from './sealed.ts';

/** The place of a sealed value; a copy does not open elsewhere. */
export type OwnPlace = { readonly table: string; readonly rowId: string; readonly field: string };

export type InstallationSecrets = {
  seal(place: OwnPlace, plain: string): Buffer;
  /** Throws SealedUnreadable. */
  open(place: OwnPlace, sealed: Buffer): string;
  /** Returns the value sealed under the current key, or null when it already is. Throws SealedUnreadable. */
  reseal(place: OwnPlace, sealed: Buffer): Buffer | null;
};

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;
const version = 1;

const keyFrom = (kek: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', kek, '', 'svc own secrets v1', 32));

const associatedData = ({ table, rowId, field }: OwnPlace): Buffer =>
  Buffer.from(`v${version}|${table}|${rowId.toLowerCase()}|${field}`);

/** Returns undefined when the key, the place or a single bit is wrong. */
function decryptWith(key: Buffer, place: OwnPlace, sealed: Buffer): string | undefined {
  const start = 1 + nonceLength;
  const end = sealed.length - tagLength;
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(1, start), {
    authTagLength: tagLength,
  });
  decipher.setAAD(associatedData(place));
  decipher.setAuthTag(sealed.subarray(end));
  try {
    const text = [decipher.update(sealed.subarray(start, end)), decipher.final()];
    return Buffer.concat(text).toString('utf8');
  } catch {
    return undefined;
  }
}

export function openInstallationSecrets(settings: {
  /** 32 bytes. */
  readonly kek: Buffer;
  /** Earlier keys of 32 bytes, used only to open. */
  readonly formerKeks?: readonly Buffer[];
  randomBytes(size: number): Buffer;
}): InstallationSecrets {
  const key = keyFrom(settings.kek);
  const formerKeys = (settings.formerKeks ?? []).map(keyFrom);

  const seal = (place: OwnPlace, plain: string): Buffer => {
    const nonce = settings.randomBytes(nonceLength);
    const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagLength });
    cipher.setAAD(associatedData(place));
    const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(version), nonce, text, cipher.getAuthTag()]);
  };

  const readSealed = (place: OwnPlace, sealed: Buffer): { plain: string; isCurrent: boolean } => {
    const name = `${place.table}.${place.field} of ${place.rowId}`;
    if (sealed.length < 1 + nonceLength + tagLength || sealed[0] !== version)
      throw new SealedUnreadable(`${name} is not a sealed value`);
    for (const one of [key, ...formerKeys]) {
      const plain = decryptWith(one, place, sealed);
      if (plain !== undefined) return { plain, isCurrent: one === key };
    }
    throw new SealedUnreadable(`${name} does not open: altered, or not its own value`);
  };

  return {
    seal,
    open: (place, sealed) => readSealed(place, sealed).plain,
    reseal(place, sealed) {
      const { plain, isCurrent } = readSealed(place, sealed);
      return isCurrent ? null : seal(place, plain);
    },
  };
}
