// The merchant changes an open session: its cart and so its total, its metadata, its end. Contract §3, Change.

import { updateMerchantSession as row } from '@svc/contract/checkout-sessions/merchant-sessions';
import { couponCode, isSameCodes } from '../../domain/money/coupon.ts';
import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { requireServer, type ServerCaller } from '../../engine/require-server.ts';
import { changeOpenSession } from '../../engine/runs/checkout-sessions/change-open-session.ts';
import {
  codesOf,
  expiryOf,
  findCoupons,
  priceSession,
} from '../../engine/steps/checkout-sessions/attach-cart.ts';
import { priceAgain } from '../../engine/steps/checkout-sessions/price-again.ts';
import { rightsOf, withOwnPrices } from '../../engine/steps/checkout-sessions/session-rights.ts';
import { showMerchantSession } from '../../engine/steps/checkout-sessions/show-merchant-session.ts';
import { findCartProducts } from '../../storage/catalog/catalog.ts';
import { lockSessionOfPayment } from '../../storage/checkout-sessions/checkout-sessions.ts';
import { findMerchantSession } from '../../storage/checkout-sessions/merchant-sessions.ts';
import {
  type MerchantChange,
  updateByMerchantChange,
} from '../../storage/checkout-sessions/session-coupons.ts';

/** Thrown to roll back: the buyer changed the coupons after they were read. */
class OtherCoupons extends Error {}

/**
 * Refuses, in order: checkout_session_not_found, checkout_session_is_setup, checkout_session_completed,
 * checkout_session_expired, checkout_session_data_attachment_required, checkout_attempt_in_progress,
 * gateway_outcome_unknown, invalid_request, merchant_role_required, insufficient_scope,
 * invalid_catalog_data, amount_precision, capture_method_not_supported, buyer_not_verified.
 */
export const updateMerchantSession = implement(row)(async (input, caller, ports) => {
  const server = requireServer(caller);
  const sessionId = input.sessionId.toLowerCase();
  for (;;) {
    try {
      return { status: 200, body: await change(sessionId, input.body, { server, ports }) };
    } catch (error) {
      if (!(error instanceof OtherCoupons)) throw error;
    }
  }
});

/** Whoever may not set a price may not change a cart that has one of the merchant's own. */
function keepOwnPrices({ lines }: CheckoutSession, path: string): void {
  if (lines.every(({ overrideMinor }) => overrideMinor === null)) return;
  const message = "The cart has a price of the merchant's own.";
  refuse('invalid_catalog_data', { errors: [{ path, code: 'price_differs', message }] });
}

type Wish = Parameters<typeof updateMerchantSession>[0]['body'];
type CallContext = { readonly server: ServerCaller; readonly ports: Ports };

async function change(sessionId: string, wish: Wish, { server, ports }: CallContext) {
  const { clientId } = server;
  const found = await findMerchantSession(ports.database, clientId, sessionId);
  if (!found) return refuse('checkout_session_not_found');
  const price = await pricingOf(found.session, wish, { server, ports });
  const { session, now } = await changeOpenSession(
    {
      clientId,
      lock: (tx) => lockSessionOfPayment(tx, { clientId, sessionId }),
      judge: () => 'change',
      write(tx, held, at) {
        const { metadata = null } = wish;
        const expiresAt = expiryOf(wish, at);
        return updateByMerchantChange(tx, held, {
          metadata,
          expiresAt,
          cart: price(held),
          now: at,
        });
      },
    },
    ports,
  );
  return showMerchantSession(session, now);
}

/** Finds what the new cart names, and returns how it is priced under the session's lock. */
async function pricingOf(
  read: CheckoutSession,
  { products, couponCodes }: Wish,
  { server, ports }: CallContext,
): Promise<(held: CheckoutSession) => MerchantChange['cart']> {
  if (!products && !couponCodes) return () => null;
  const { clientId } = server;
  const currency = read.currency ?? '';
  const codes = (couponCodes ?? read.couponCodes).map(couponCode);
  const [entries, coupons] = await Promise.all([
    findCartProducts(ports.database, clientId, { codes: codesOf(products ?? []), currency }),
    findCoupons(codes, clientId, ports),
  ]);
  return (held) => {
    if (!couponCodes && !isSameCodes(codes, held.couponCodes)) throw new OtherCoupons();
    const { captureMethod, isBuyerVerified } = held;
    const pricing = { currency, isTrusted: rightsOf(server).mayOverride, isBuyerVerified };
    const priceWith = (couponCodes: readonly string[]) =>
      withOwnPrices(server, () => {
        if (!pricing.isTrusted) keepOwnPrices(held, products ? 'products' : 'couponCodes');
        return products
          ? priceSession(
              { products, couponCodes: [...couponCodes], captureMethod },
              { ...coupons, products: entries },
              pricing,
            )
          : priceAgain(held, couponCodes, coupons);
      });
    const priced = priceWith(codes);
    // A coupon that the buyer took off the catalog's price is not taken off the merchant's own.
    const endsCoupons = !couponCodes && held.takesCoupons && !priced.takesCoupons;
    const cart = endsCoupons ? priceWith([]) : priced;
    return { ...cart, takesCoupons: held.takesCoupons && cart.takesCoupons };
  };
}
