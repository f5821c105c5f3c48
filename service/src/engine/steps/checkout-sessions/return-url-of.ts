import type { Ports } from '../../ports.ts';

/** Where a provider sends the buyer back to. */
export const returnUrlOf = (sessionId: string, { settings }: Ports): string =>
  `${settings.checkoutUrl}/c/${sessionId}`;
