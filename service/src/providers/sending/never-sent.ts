// Whether a request can have reached a provider: one answer for every wire, because only "nothing
// left" may ever be called a refusal.

/** Nothing of the request left this machine. */
export class NeverSent extends Error {}

const codes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Throws `NeverSent` where the connection was never made; returns for every other error. */
export function throwIfNeverSent(error: unknown): void {
  const { code, message } = error as { code?: string; message: string };
  if (code !== undefined && codes.has(code)) throw new NeverSent(message, { cause: error });
}
