import { parseBase64url } from '../domain/protocol/base64url.ts';
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
      const sealed = text.startsWith(start) && parseBase64url(text.slice(start.length));
      if (!sealed) return undefined;
      try {
        return JSON.parse(sealedHere.open(place, sealed)) as DeviceName;
      } catch {
        return undefined;
      }
    },
  };
}
