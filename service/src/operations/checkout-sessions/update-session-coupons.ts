// A buyer adds or removes a coupon: the open session is priced again. Contract §8.

import { updateSessionCoupons as row } from '@svc/contract/checkout-sessions/session-coupons';
import { couponCode, isSameCodes } from '../../domain/money/coupon.ts';
import { implement, refuse } from '../../engine/implement.ts';
import { changeOpenSession } from '../../engine/runs/checkout-sessions/change-open-session.ts';
import { offerWallet } from '../../engine/runs/checkout-sessions/offer-wallet.ts';
import { findCoupons } from '../../engine/steps/checkout-sessions/attach-cart.ts';
import { getSession } from '../../engine/steps/checkout-sessions/get-session.ts';
import { priceAgain } from '../../engine/steps/checkout-sessions/price-again.ts';
import { showSession } from '../../engine/steps/checkout-sessions/show-session.ts';
import { lockSession } from '../../storage/checkout-sessions/checkout-sessions.ts';
import {
  hasActiveCoupons,
  updateCoupons,
} from '../../storage/checkout-sessions/session-coupons.ts';
import { findClient } from '../../storage/clients/clients.ts';
import { findGateway } from '../../storage/gateways/gateways.ts';

/**
 * Gives an open session exactly these coupons, at the line prices that it was created with. The
 * codes that it has already change nothing, whatever their coupons are by now. An open intent or
 * order of the page is closed at the provider first; the next one has the new amount. A refused
 * change leaves the session as it was. Refuses, in order: checkout_session_not_found,
 * checkout_session_is_setup, checkout_session_completed, checkout_session_expired,
 * checkout_session_data_attachment_required, coupons_not_accepted, checkout_attempt_in_progress,
 * gateway_outcome_unknown, invalid_catalog_data, amount_precision.
 */
export const updateSessionCoupons = implement(row)(async (input, caller, ports) => {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const { checkoutSessionId: id } = input;
  const { clientId, gatewayId } = (await getSession(id, caller, ports)).session;
  const { couponCodes } = input.body;
  const [client, gateway, found, couponsAccepted] = await Promise.all([
    findClient(ports.database, clientId),
    findGateway(ports.database, clientId, gatewayId),
    findCoupons(couponCodes, clientId, ports),
    hasActiveCoupons(ports.database, clientId),
  ]);
  if (!client || !gateway) throw new Error(`session ${id} lacks its client`);
  const codes = couponCodes.map(couponCode);
  const { session, now } = await changeOpenSession(
    {
      clientId,
      lock: (tx) => lockSession(tx, caller.nonceSha256, id),
      judge(held) {
        if (isSameCodes(codes, held.couponCodes)) return 'same';
        return held.takesCoupons ? 'change' : refuse('coupons_not_accepted');
      },
      write(tx, held, at) {
        const { lines, discountMinor, totalMinor } = priceAgain(held, couponCodes, found);
        const change = { couponCodes: codes, lines, discountMinor, totalMinor, now: at };
        return updateCoupons(tx, held, change);
      },
    },
    ports,
  );
  const { allowedOrigins } = client;
  const wallet = await offerWallet(session, now, ports);
  const shown = { gateway, allowedOrigins, wallet, couponsAccepted, now };
  return { status: 200, body: showSession(session, shown, ports) };
});
