// Which carts a wallet pays, and how long an order that is ready for one may be used.

import type { CheckoutSession } from './checkout-session.ts';

const minute = 60_000;

/** An order is offered for so long: what is left of its three hours is the buyer's. */
export const freshOrderMs = 60 * minute;

/** A payment goes on with an order until then: an hour for the approval is left. Decision 0026. */
export const lastOrderMs = 120 * minute;

/**
 * A wallet pays at once and items only: no hold, and no later charges, which would need a wallet that
 * its buyer has agreed to keep. Spec: What the service does.
 */
export const allowsWallet = ({
  captureMethod,
  lines,
}: Pick<CheckoutSession, 'captureMethod' | 'lines'>): boolean =>
  captureMethod === 'automatic' && lines.every((line) => line.kind === 'item');
