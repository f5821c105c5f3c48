import type { Ports } from '../../ports.ts';

/** The page that the provider sends the buyer back to. */
export const returnUrlOf = (sessionId: string, { settings }: Ports): string =>
  `${settings.checkoutUrl}/c/${sessionId}`;
