import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openInstallationSecrets } from './installation-secrets.ts';
import { SealedUnreadable } from './sealed.ts';

const sealed = openInstallationSecrets({ kek: randomBytes(32), randomBytes });
const place = { table: 'users', rowId: 'A1', field: 'totp_secret' };

describe('openInstallationSecrets', () => {
  it('opens what it sealed, and hides it', () => {
    const box = sealed.seal(place, 'a secret');
    expect(sealed.open({ ...place, rowId: 'a1' }, box)).toBe('a secret');
    expect(box.includes('a secret')).toBe(false);
    expect(sealed.seal(place, 'a secret')).not.toEqual(box);
  });

  it('C6: a former key opens and seals nothing new; sealed anew, it opens nothing any more', () => {
    const [former, current] = [randomBytes(32), randomBytes(32)];
    const old = openInstallationSecrets({ kek: former, randomBytes });
    const next = openInstallationSecrets({ kek: current, formerKeks: [former], randomBytes });
    const box = old.seal(place, 'a secret');
    expect(next.open(place, box)).toBe('a secret');
    const anew = next.reseal(place, box);
    if (!anew) throw new Error('it was under the former key');
    expect(openInstallationSecrets({ kek: current, randomBytes }).open(place, anew)).toBe(
      'a secret',
    );
    expect(() => old.open(place, anew)).toThrow(SealedUnreadable);
    expect(() => old.open(place, next.seal(place, 'more'))).toThrow(SealedUnreadable);
    expect(next.reseal(place, anew)).toBeNull();
  });

  it('opens at no other place, under no other key, and with no bit changed', () => {
    const box = sealed.seal(place, 'a secret');
    const other = openInstallationSecrets({ kek: randomBytes(32), randomBytes });
    expect(() => other.open(place, box)).toThrow(SealedUnreadable);
    for (const part of ['table', 'rowId', 'field'] as const) {
      expect(() => sealed.open({ ...place, [part]: 'x' }, box)).toThrow(SealedUnreadable);
    }
    for (let at = 0; at < box.length; at++) {
      const changed = Buffer.from(box);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => sealed.open(place, changed)).toThrow(SealedUnreadable);
    }
    expect(() => sealed.open(place, box.subarray(0, 20))).toThrow(SealedUnreadable);
  });
});
