import type { Ports } from '../engine/ports.ts';

/** The code of a waiting device, as typed in by a person. */
export type DeviceName = { readonly code: string; readonly userId: string };

const start = 'd.';
const place = { table: 'oauth_records', rowId: 'device', field: 'name' } as const;

/**
 * Carries a device's code from the page that took it to the page of the consent: sealed, so that
 * nothing is kept for it and nobody can write one.
 */
export function openDeviceNames({ sealedHere }: Pick<Ports, 'sealedHere'>) {
  return {
    write: (name: DeviceName): string =>
      `${start}${sealedHere.seal(place, JSON.stringify(name)).toString('base64url')}`,
    /** Undefined for what was not written here. */
    read(text: string): DeviceName | undefined {
      const encoded = text.slice(start.length);
      const sealed = Buffer.from(encoded, 'base64url');
      // Node's decoder skips what is no base64url: one name has one spelling.
      const isOne = text.startsWith(start) && sealed.toString('base64url') === encoded;
      if (!isOne) return undefined;
      try {
        return JSON.parse(sealedHere.open(place, sealed)) as DeviceName;
      } catch {
        return undefined;
      }
    },
  };
}
