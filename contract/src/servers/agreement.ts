// What service and vault tell each other about themselves, once a minute: a shared key or a clock that
// differs would otherwise show only as card forms that do not open and payments in doubt. Contract §4.

/** The header of the service's `GET /readyz` at the vault's internal port: `key=<fingerprint>,t=<unix ms>`. */
export const agreementHeader = 'svc-agreement';

/** What one side tells the other; the vault answers it in the body of that `/readyz`. */
export type Told = {
  /** Identifies the shared key without revealing it. */
  readonly key: string;
  /** Unix milliseconds. */
  readonly time: number;
};

/** From this offset on the vault refuses the service's signed calls. */
export const mostSkewMs = 30_000;

/** A fingerprint of the shared key is the first 16 hex digits of the HMAC-SHA256 of this text under the key. */
export const fingerprintText = 'fingerprint of the shared key';

export const writeTold = ({ key, time }: Told): string => `key=${key},t=${time}`;

/** Undefined when the header is missing or not understood: a caller that tells nothing. */
export function readTold(header: string | readonly string[] | undefined): Told | undefined {
  const [, key, time] = /^key=([0-9a-f]{16}),t=(\d{10,16})$/.exec(String(header ?? '')) ?? [];
  return key === undefined ? undefined : { key, time: Number(time) };
}
