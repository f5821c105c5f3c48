// Secrets at rest that belong to no client: of people's accounts and of the service itself. Sealed
// under a key derived from the key-encryption key (HKDF, RFC 5869), bound to their place.

import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { SealedUnreadable } from './sealed.ts';

/** Where a sealed value lives; a copied one does not open elsewhere. */
export type OwnPlace = { readonly table: string; readonly rowId: string; readonly field: string };

export type SealedHere = {
  seal(place: OwnPlace, plain: string): Buffer;
  /** Throws SealedUnreadable. */
  open(place: OwnPlace, sealed: Buffer): string;
};

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;
const version = 1;

export function openSealedHere(settings: {
  /** 32 bytes. */
  readonly kek: Buffer;
  randomBytes(size: number): Buffer;
}): SealedHere {
  const key = Buffer.from(hkdfSync('sha256', settings.kek, '', 'svc own secrets v1', 32));
  const boundTo = ({ table, rowId, field }: OwnPlace) =>
    Buffer.from(`v${version}|${table}|${rowId.toLowerCase()}|${field}`);
  return {
    seal(place, plain) {
      const nonce = settings.randomBytes(nonceLength);
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagLength });
      cipher.setAAD(boundTo(place));
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(version), nonce, text, cipher.getAuthTag()]);
    },
    open(place, sealed) {
      const name = `${place.table}.${place.field} of ${place.rowId}`;
      const start = 1 + nonceLength;
      const end = sealed.length - tagLength;
      if (end < start || sealed[0] !== version)
        throw new SealedUnreadable(`${name} is not a sealed value`);
      const decipher = createDecipheriv(algorithm, key, sealed.subarray(1, start), {
        authTagLength: tagLength,
      });
      decipher.setAAD(boundTo(place));
      decipher.setAuthTag(sealed.subarray(end));
      try {
        const text = [decipher.update(sealed.subarray(start, end)), decipher.final()];
        return Buffer.concat(text).toString('utf8');
      } catch {
        throw new SealedUnreadable(`${name} does not open: altered, or not its own value`);
      }
    },
  };
}
