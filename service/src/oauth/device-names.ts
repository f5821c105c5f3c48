import type { Ports } from '../operations/ports.ts';

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
      if (!text.startsWith(start)) return undefined;
      try {
        const sealed = Buffer.from(text.slice(start.length), 'base64url');
        return JSON.parse(sealedHere.open(place, sealed)) as DeviceName;
      } catch {
        return undefined;
      }
    },
  };
}
