import type { Ports } from '../engine/ports.ts';

/** The code of a waiting device, as a person typed it. */
export type DeviceName = { readonly code: string; readonly userId: string };

const start = 'd.';
const place = { table: 'oauth_records', rowId: 'device', field: 'name' } as const;

/**
 * Carries a device's code from the page where it was typed to the consent page: sealed, so that
 * nothing is stored for it and nobody can forge one.
 */
export function openDeviceNames({ sealedHere }: Pick<Ports, 'sealedHere'>) {
  return {
    write: (name: DeviceName): string =>
      `${start}${sealedHere.seal(place, JSON.stringify(name)).toString('base64url')}`,
    /** Returns undefined when the text was not written here. */
    read(text: string): DeviceName | undefined {
      const encoded = text.slice(start.length);
      const sealed = Buffer.from(encoded, 'base64url');
      // Node's decoder skips characters that are not base64url: only the canonical spelling is accepted.
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
