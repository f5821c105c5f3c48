// The second phase of a session: a shell gets its buyer and cart. Spec: Checkout sessions, PATCH claim.

import { createHash } from 'node:crypto';
import {
  type ClaimCheckoutSession,
  claimCheckoutSession as row,
} from '@svc/contract/checkout-sessions/checkout-sessions';
import { couponCode } from '../../domain/money/coupon.ts';
import {
  type CheckoutSession,
  judgeClaim,
  sessionLifeMs,
} from '../../domain/payments/checkout-session.ts';
import { buyerKey } from '../../domain/people/buyer-id.ts';
import { emailKey } from '../../domain/people/email.ts';
import { canonicalJson } from '../../domain/protocol/canonical-json.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { offerWallet } from '../../engine/runs/checkout-sessions/offer-wallet.ts';
import {
  codesOf,
  expiryOf,
  findCoupons,
  priceSession,
  refuseMerchantsOwn,
  returnUrlsOf,
} from '../../engine/steps/checkout-sessions/attach-cart.ts';
import { getSession } from '../../engine/steps/checkout-sessions/get-session.ts';
import { rightsOf, withOwnPrices } from '../../engine/steps/checkout-sessions/session-rights.ts';
import { showSession } from '../../engine/steps/checkout-sessions/show-session.ts';
import { attachBuyer, lockBuyer } from '../../engine/steps/customers/attach-buyer.ts';
import { type NewBuyer, readNewBuyer } from '../../engine/steps/customers/read-buyer.ts';
import { findCartProducts } from '../../storage/catalog/catalog.ts';
import { lockSession } from '../../storage/checkout-sessions/checkout-sessions.ts';
import { attachClaim } from '../../storage/checkout-sessions/session-claims.ts';
import { findClient } from '../../storage/clients/clients.ts';
import { readClock } from '../../storage/database/clock.ts';
import { repeatWhenLost } from '../../storage/database/database.ts';
import { findGateway } from '../../storage/gateways/gateways.ts';

/**
 * Attaches buyer and cart to the shell, once. Concurrent claims wait for the session's lock: the
 * first is written, the same body again is answered from what is stored, another one is refused. A
 * refused claim leaves the shell as it was. With the merchant's credential in addition to the nonce
 * the buyer counts as verified, as on create. Refuses, in order: checkout_session_not_found,
 * insufficient_scope, merchant_credential_required, checkout_session_already_claimed,
 * checkout_session_expired, currency_mismatch, invalid_request, invalid_catalog_data,
 * amount_precision, capture_method_not_supported, buyer_not_verified, buyer_mismatch,
 * customer_forgotten.
 */
export const claimCheckoutSession = implement(row)(async (input, caller, ports) => {
  const { session: shell } = await getSession(input.checkoutSessionId, caller, ports);
  const { clientId } = shell;
  const merchant = merchantOf(caller, clientId);
  if (!merchant) refuseMerchantsOwn(input.body);
  const { mayOverride: isTrusted, mayVouch } = rightsOf(merchant ?? caller);
  const buyer = readNewBuyer(clientId, input.body.accountData, ports);
  const isBuyerVerified = mayVouch && !buyer.isGuest;
  const { currency } = input.body;
  const [client, gateway, cart] = await Promise.all([
    findClient(ports.database, clientId),
    findGateway(ports.database, clientId, shell.gatewayId),
    findCart(input.body, { clientId, currency }, ports),
  ]);
  if (!client || !gateway) throw new Error(`session ${shell.id} has no client or gateway`);
  const claim = {
    body: input.body,
    buyer,
    fingerprint: fingerprintOf(input.body),
    /** Called under the lock, and not for a replay, which is answered whatever the catalog has by now. */
    price: () => ({
      ...returnUrlsOf(input.body, client.allowedOrigins, { caller, ports }),
      ...withOwnPrices(merchant ?? caller, () =>
        priceSession(input.body, cart, { currency, isTrusted, isBuyerVerified }),
      ),
    }),
    isBuyerVerified,
  };
  const { session, now } = await repeatWhenLost(() => settleClaim(claim, { shell, caller, ports }));
  const wallet = await offerWallet(session, now, ports);
  const shown = { gateway, allowedOrigins: client.allowedOrigins, wallet, now };
  return { status: 200, body: showSession(session, shown, ports) };
});

/** Finds the products and coupons of the cart in the catalog. */
async function findCart(
  { products, couponCodes }: ClaimCheckoutSession,
  { clientId, currency }: { clientId: string; currency: string },
  ports: Ports,
) {
  const codes = codesOf(products);
  const [found, judged] = await Promise.all([
    findCartProducts(ports.database, clientId, { codes, currency }),
    findCoupons(couponCodes, clientId, ports),
  ]);
  return { products: found, ...judged };
}

/**
 * The digest of the body's meaning, not of its spelling: absent fields equal their defaults, and
 * neither letter case nor the order of lines and codes makes another claim. Contract §3, Claim;
 * reliability §4.6.
 */
function fingerprintOf(body: ClaimCheckoutSession): Buffer {
  const { captureMethod = 'automatic', couponCodes = [], allowSecondSubscription = false } = body;
  const { email, guest, userId, externalId } = body.accountData;
  const id = externalId ?? userId;
  const texts = body.products.map(({ overrideAmount, name, ...line }) => {
    const own = line.code === undefined ? { name } : {};
    const meant = { ...line, ...own, overrideAmount: overrideAmount ?? undefined };
    return canonicalJson(JSON.stringify(meant));
  });
  const meant = {
    ...body,
    captureMethod,
    allowSecondSubscription,
    couponCodes: couponCodes.map(couponCode).toSorted(),
    products: texts.toSorted(),
    // Only the id that names the buyer: the other id, where it is sent, names the same buyer.
    accountData: {
      ...(id === undefined ? {} : { userId: buyerKey(id) }),
      ...(guest === undefined ? {} : { guest }),
      email: emailKey(email),
    },
  };
  return createHash('sha256')
    .update(canonicalJson(JSON.stringify(meant)))
    .digest();
}

type Claim = {
  readonly body: ClaimCheckoutSession;
  readonly buyer: NewBuyer;
  readonly fingerprint: Buffer;
  readonly price: () => ReturnType<typeof priceSession> & ReturnType<typeof returnUrlsOf>;
  readonly isBuyerVerified: boolean;
};

const createdWhole = {
  message: 'The session was created with its cart and buyer: there is nothing to claim.',
};

/** The session's merchant, where the claim carries the merchant's credential. */
function merchantOf(caller: Caller, clientId: string): Caller | undefined {
  const merchant = caller.kind === 'session' ? caller.merchant : undefined;
  if (merchant?.kind !== 'server') return undefined;
  if (merchant.clientId !== clientId) return refuse('checkout_session_not_found');
  if (merchant.scopes !== null && !merchant.scopes.includes('checkout:write')) {
    return refuse('insufficient_scope', { message: 'The token lacks the scope checkout:write.' });
  }
  return merchant;
}

function settleClaim(
  { body, buyer: id, fingerprint, price, isBuyerVerified }: Claim,
  { shell, caller, ports }: { shell: CheckoutSession; caller: Caller; ports: Ports },
): Promise<{ session: CheckoutSession; now: Date }> {
  const nonceSha256 = caller.kind === 'session' ? caller.nonceSha256 : Buffer.alloc(0);
  return ports.database.transaction(shell.clientId, async (tx) => {
    const session = await lockSession(tx, nonceSha256, shell.id);
    if (!session) return refuse('checkout_session_not_found');
    const now = await readClock(tx);
    const step = judgeClaim(session, { fingerprint, now });
    if (step === 'replay') return { session, now };
    if (step !== 'write') return refuse(step, session.claimSha256 ? {} : createdWhole);
    if (session.currency !== body.currency) {
      return refuse('currency_mismatch', {
        param: 'currency',
        message: `The session is in ${session.currency}.`,
      });
    }
    const end = expiryOf(body, now);
    const priced = price();
    const buyer = { ...id, clientId: session.clientId, email: body.accountData.email };
    const allowsSecond = body.allowSecondSubscription === true;
    if (isBuyerVerified) await attachBuyer(tx, { ...buyer, country: session.country });
    else await lockBuyer(tx, session.clientId, buyer.userId);
    const claimed = await attachClaim(tx, session, {
      ...priced,
      ...buyer,
      isBuyerVerified,
      allowsSecond,
      fingerprint,
      now,
      lifeMs: end ? end.getTime() - now.getTime() : sessionLifeMs,
    });
    return { session: claimed, now };
  });
}
