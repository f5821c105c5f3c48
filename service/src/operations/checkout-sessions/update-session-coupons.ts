// A buyer adds or removes a coupon: the open session is priced again. Contract §8.

import { updateSessionCoupons as row } from '@svc/contract/checkout-sessions/session-coupons';
import { couponCode } from '../../domain/money/coupon.ts';
import { toMajor } from '../../domain/money/money.ts';
import type { CartLine, CartProduct } from '../../domain/money/pricing.ts';
import {
  type CheckoutSession,
  hasEndedUnpaid,
  isSettled,
} from '../../domain/payments/checkout-session.ts';
import { isPageConfirmed } from '../../domain/payments/page-confirmed.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { offerWallet } from '../../engine/runs/checkout-sessions/offer-wallet.ts';
import { settleOfSession } from '../../engine/runs/checkout-sessions/run-attempt.ts';
import { findCoupons, priceSession } from '../../engine/steps/checkout-sessions/attach-cart.ts';
import { getSession } from '../../engine/steps/checkout-sessions/get-session.ts';
import { showSession } from '../../engine/steps/checkout-sessions/show-session.ts';
import { stopWaitingAt } from '../../engine/steps/pacing/wait-for-lease.ts';
import { endAttempt } from '../../engine/steps/payments/ask-for-attempt.ts';
import { waitForOperation } from '../../engine/steps/payments/wait-for-operation.ts';
import { lockSession } from '../../storage/checkout-sessions/checkout-sessions.ts';
import { lockAttempt } from '../../storage/checkout-sessions/claim-attempt.ts';
import { claimEnd, type EndClaim } from '../../storage/checkout-sessions/claim-end.ts';
import {
  hasActiveCoupons,
  updateCoupons,
} from '../../storage/checkout-sessions/session-coupons.ts';
import { findClient } from '../../storage/clients/clients.ts';
import { readClock } from '../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../storage/database/database.ts';
import { findGateway } from '../../storage/gateways/gateways.ts';

/**
 * Gives an open session exactly these coupons, at the line prices that it was created with. The
 * codes that it has already change nothing, whatever their coupons are by now. An open intent or
 * order of the page is closed at the provider first; the next one has the new amount. A refused
 * change leaves the session as it was. Refuses, in order: checkout_session_not_found,
 * checkout_session_is_setup, checkout_session_completed, checkout_session_expired,
 * checkout_session_data_attachment_required, checkout_attempt_in_progress, gateway_outcome_unknown,
 * invalid_catalog_data, amount_precision.
 */
export const updateSessionCoupons = implement(row)(async (input, caller, ports) => {
  const { clientId, gatewayId } = (await getSession(input.checkoutSessionId, caller, ports))
    .session;
  const { couponCodes } = input.body;
  const [client, gateway, found, couponsAccepted] = await Promise.all([
    findClient(ports.database, clientId),
    findGateway(ports.database, clientId, gatewayId),
    findCoupons(couponCodes, clientId, ports),
    hasActiveCoupons(ports.database, clientId),
  ]);
  if (!client || !gateway) throw new Error(`session ${input.checkoutSessionId} lacks its client`);
  const wish: CouponChange = {
    sessionId: input.checkoutSessionId,
    codes: couponCodes.map(couponCode),
    price: (session) => priceAgain(session, couponCodes, found),
    leaseOwner: ports.newId(),
  };
  const { session, now } = await settleChange(wish, clientId, { caller, ports });
  const { allowedOrigins } = client;
  const wallet = await offerWallet(session, now, ports);
  const shown = { gateway, allowedOrigins, wallet, couponsAccepted, now };
  return { status: 200, body: showSession(session, shown, ports) };
});

type CouponChange = {
  readonly sessionId: string;
  readonly codes: readonly string[];
  /** Called under the lock, and not for codes that the session has already. */
  readonly price: (session: CheckoutSession) => ReturnType<typeof priceSession>;
  readonly leaseOwner: string;
};

type ChangedSession = {
  readonly kind: 'changed';
  readonly session: CheckoutSession;
  readonly now: Date;
};
type CallContext = { readonly caller: Caller; readonly ports: Ports };

async function settleChange(
  wish: CouponChange,
  clientId: string,
  { caller, ports }: CallContext,
): Promise<ChangedSession> {
  const deadline = stopWaitingAt(ports);
  for (;;) {
    const step = await repeatWhenLost(() =>
      ports.database.transaction(clientId, (tx) => takeCouponStep(tx, wish, { caller, ports })),
    );
    if (step.kind === 'changed') return step;
    if (step.kind === 'wait') {
      const isOver = await waitForOperation(step.operationId, clientId, { deadline, ports });
      if (!isOver) return refuse('checkout_attempt_in_progress');
      continue;
    }
    if (step.kind !== 'held') return refuse('checkout_attempt_in_progress');
    const end = { code: 'canceled', declineCode: null };
    const settled = await settleOfSession(step, await endAttempt(step, end, ports), ports);
    if (settled?.settlement.isHeldBack) return refuse('checkout_attempt_in_progress');
    if (settled?.settlement.state === 'in_doubt') return refuse('gateway_outcome_unknown');
  }
}

async function takeCouponStep(
  tx: Tx,
  wish: CouponChange,
  { caller, ports }: CallContext,
): Promise<ChangedSession | EndClaim> {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const session = await lockSession(tx, caller.nonceSha256, wish.sessionId);
  if (!session) return refuse('checkout_session_not_found');
  const now = await readClock(tx);
  assertOpen(session, now);
  const { codes, leaseOwner } = wish;
  if (isSameList(codes, session.couponCodes)) return { kind: 'changed', session, now };
  if (session.status !== 'open') {
    const { operation } = await lockAttempt(tx, session);
    // The amount of a card that is being charged, or whose bank asks for a challenge, is fixed.
    if (!isPageConfirmed(operation)) return { kind: 'busy' };
    return claimEnd(tx, session, { leaseOwner, leaseMs: ports.settings.leaseMs, now });
  }
  const { lines, discountMinor, totalMinor } = wish.price(session);
  const change = { couponCodes: codes, lines, discountMinor, totalMinor, now };
  return { kind: 'changed', session: await updateCoupons(tx, session, change), now };
}

const isSameList = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((code, index) => code === others[index]);

function assertOpen(session: CheckoutSession, now: Date): void {
  if (session.mode === 'setup') refuse('checkout_session_is_setup');
  if (isSettled(session)) refuse('checkout_session_completed');
  if (hasEndedUnpaid(session, now)) refuse('checkout_session_expired');
  if (session.status === 'unclaimed') refuse('checkout_session_data_attachment_required');
}

/**
 * Prices the stored lines, whose prices were agreed when the session was created or claimed, in
 * place of the catalog.
 */
function priceAgain(
  session: CheckoutSession,
  couponCodes: readonly string[],
  found: Awaited<ReturnType<typeof findCoupons>>,
): ReturnType<typeof priceSession> {
  const currency = session.currency ?? '';
  const products: CartProduct[] = session.lines.map(({ code, name, kind, interval, unitMinor }) => {
    return { code, name, kind, interval: interval ?? null, isActive: true, unitMinor };
  });
  const lines: CartLine[] = session.lines.map(({ code, quantity, overrideMinor }) => ({
    code,
    quantity,
    overrideAmount: overrideMinor === null ? null : toMajor(overrideMinor, currency),
  }));
  const { captureMethod } = session;
  const wanted = { products: lines, couponCodes: [...couponCodes], captureMethod };
  // Buyer and prices were checked when they were attached.
  const pricing = { currency, isTrusted: true, isBuyerVerified: true };
  return priceSession(wanted, { ...found, products }, pricing);
}
