// Whether a request can have reached a provider. All transports use this one rule, because only
// "nothing was sent" may be reported as a refusal.

/** Thrown when no part of the request left this machine. */
export class NeverSent extends Error {}

/** Thrown when a request has waited for its turn for as long as its caller may wait. */
export class HeldBack extends NeverSent {}

const codes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Throws `NeverSent` when the connection was never made; returns for every other error. */
export function throwIfNeverSent(error: unknown): void {
  const { code, message } = error as { code?: string; message: string };
  if (code !== undefined && codes.has(code)) throw new NeverSent(message, { cause: error });
}
