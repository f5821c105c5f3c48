import { hash } from 'node:crypto';
import {
  type CreateBody,
  type CreateCheckoutSession,
  createCheckoutSession as row,
} from '@svc/contract/checkout-sessions/checkout-sessions';
import { isCurrency } from '@svc/contract/values/currencies';
import {
  type CheckoutSession,
  checkoutPageAt,
  sessionLifeMs,
  shellLifeMs,
} from '../../domain/payments/checkout-session.ts';
import type { BuyerId } from '../../domain/people/buyer-id.ts';
import { isSameEmail } from '../../domain/people/email.ts';
import { canonicalJson } from '../../domain/protocol/canonical-json.ts';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { offerWallet } from '../../engine/runs/checkout-sessions/offer-wallet.ts';
import {
  expiryOf,
  findCoupons,
  priceSession,
  refuseMerchantsOwn,
  returnUrlsOf,
} from '../../engine/steps/checkout-sessions/attach-cart.ts';
import {
  completeFreeOrder,
  type FreeEnd,
} from '../../engine/steps/checkout-sessions/complete-free-order.ts';
import { rightsOf, withOwnPrices } from '../../engine/steps/checkout-sessions/session-rights.ts';
import {
  type ShownContext,
  showSession,
} from '../../engine/steps/checkout-sessions/show-session.ts';
import { attachBuyer } from '../../engine/steps/customers/attach-buyer.ts';
import { readBuyer } from '../../engine/steps/customers/read-buyer.ts';
import {
  findOrderOfKey,
  insertOrderKey,
  type OrderKey,
} from '../../storage/checkout-sessions/order-keys.ts';
import { insertShell } from '../../storage/checkout-sessions/session-claims.ts';
import { insertSession, type NewSession } from '../../storage/checkout-sessions/session-inserts.ts';
import { findSessionPrerequisites } from '../../storage/checkout-sessions/session-prerequisites.ts';
import { findClient } from '../../storage/clients/clients.ts';
import { readAskingTime } from '../../storage/database/clock.ts';
import type { Tx } from '../../storage/database/database.ts';
import { hasActiveMethod } from '../../storage/payment-methods/payment-methods.ts';

/**
 * Creates a session with cart and buyer, or a shell that a claim attaches them to. It needs no
 * credential: prices come from the catalog. With a merchant's credential that has the rights, line
 * amounts may be overridden and the buyer counts as verified. Then the answer may be 204: nothing
 * was due and a card is saved, so the order is completed and its coupons are redeemed. Spec:
 * Checkout sessions, POST. Contract §3. Refuses, in order: client_not_found,
 * merchant_credential_required, idempotency_key_reused, invalid_request, currency_required,
 * insufficient_scope, merchant_role_required, invalid_catalog_data, amount_precision,
 * capture_method_not_supported, buyer_not_verified, gateway_not_configured, subscription_exists,
 * customer_forgotten.
 */
export const createCheckoutSession = implement(row)(async (input, caller, ports) => {
  const { body, 'idempotency-key': idempotencyKey } = input;
  const clientId = body.clientId.toLowerCase();
  if (caller.kind === 'server' && caller.clientId !== clientId) refuse('client_not_found');
  const nonce = ports.randomBytes(32).toString('base64url');
  const once = {
    id: ports.newId(),
    clientId,
    nonceSha256: hash('sha256', nonce, 'buffer'),
  };
  const { deferDataAttachment, products = [], ...rest } = body;
  const created = deferDataAttachment
    ? await createShell(body, once, ports)
    : await createWithKey({ ...rest, products }, { once, caller, ports, idempotencyKey });
  if (!created) return { status: 204 };
  const { session, shown } = created;
  return {
    status: 201,
    body: {
      ...showSession(session, shown, ports),
      url: `${checkoutPageAt(ports.settings, session.id)}#${nonce}`,
      nonce,
    },
  };
});

type SessionIdentity = Pick<NewSession, 'id' | 'clientId' | 'nonceSha256'>;
type CreatedSession = { readonly session: CheckoutSession; readonly shown: ShownContext };

/** Creates a shell: no catalog, no locks, one statement. Spec: Checkout sessions, POST. */
async function createShell(
  body: CreateBody,
  once: SessionIdentity,
  ports: Ports,
): Promise<CreatedSession> {
  const { currency } = body;
  if (!currency) return refuse('currency_required');
  if (!isCurrency(currency)) {
    const message = `There is no currency ${currency}.`;
    return refuse('currency_required', { param: 'currency', message });
  }
  const shell = await insertShell(ports.database, {
    ...once,
    currency,
    country: body.account?.country ?? null,
    lifeMs: shellLifeMs,
  });
  if (!shell) {
    if (!(await findClient(ports.database, once.clientId))) return refuse('client_not_found');
    return refuse('gateway_not_configured');
  }
  const { session, gateway, allowedOrigins } = shell;
  return { session, shown: { gateway, allowedOrigins, now: session.createdAt } };
}

type CallContext = {
  readonly once: SessionIdentity;
  readonly caller: Caller;
  readonly ports: Ports;
};

/**
 * Calls `createWhole`, except where the idempotency key belongs to a completed order: then nothing
 * is left to do, whatever the catalog and coupons are by now.
 */
async function createWithKey(
  body: CreateCheckoutSession,
  given: CallContext & { readonly idempotencyKey: string | undefined },
): Promise<CreatedSession | undefined> {
  const { once, caller, ports, idempotencyKey } = given;
  if (caller.kind !== 'server') refuseMerchantsOwn(body);
  if (caller.kind !== 'server' || idempotencyKey === undefined) {
    return createSession(body, { ...given, key: undefined });
  }
  const { clientId } = once;
  const requestSha256 = hash('sha256', canonicalJson(JSON.stringify(body)), 'buffer');
  const key = { clientId, idempotencyKey, requestSha256 };
  if (await isCompletedBefore(key, ports)) return undefined;
  try {
    return await createSession(body, { ...given, key });
  } catch (error) {
    // The first request with this key may have completed the order since the check, and used up the
    // coupon with it.
    if (error instanceof Refusal && (await isCompletedBefore(key, ports))) return undefined;
    throw error;
  }
}

async function isCompletedBefore(key: OrderKey, { database }: Ports): Promise<boolean> {
  const found = await findOrderOfKey(database, key);
  return found === 'other' ? refuse('idempotency_key_reused') : found === 'same';
}

/**
 * Creates a session with cart and buyer. Returns undefined where nothing was due and the buyer's
 * card is saved: the order is completed.
 */
async function createSession(
  body: CreateCheckoutSession,
  given: CallContext & { readonly key: OrderKey | undefined },
): Promise<CreatedSession | undefined> {
  const { once, caller, ports } = given;
  const { clientId } = once;
  const { mayOverride, mayVouch } = rightsOf(caller);
  // Queried in parallel, checked in order.
  const currency = namedCurrency(body);
  const [fixture, coupons, askedAt] = await Promise.all([
    findSessionPrerequisites(ports.database, {
      clientId,
      codes: body.products.map((line) => line.code),
      currency: currency ?? '',
      country: body.account?.country ?? null,
    }),
    findCoupons(body.couponCodes, clientId, ports),
    // Without `expiresAt` the time is not needed.
    body.expiresAt === undefined ? new Date(0) : readAskingTime(ports.database),
  ]);
  if (!fixture) return refuse('client_not_found');
  const { allowedOrigins, gateway, hasWallet, products } = fixture;
  const buyer = buyerOf(body, clientId);
  const endsAt = expiryOf(body, askedAt);
  if (!currency) return refuse('currency_required');
  const returnUrls = returnUrlsOf(body, allowedOrigins, { caller, ports });
  const pricing = { currency, isTrusted: mayOverride, isBuyerVerified: mayVouch };
  const priced = withOwnPrices(caller, () => priceSession(body, { ...coupons, products }, pricing));
  if (!gateway) return refuse('gateway_not_configured');
  const wanted: NewSession = {
    ...once,
    ...buyer,
    ...priced,
    ...returnUrls,
    gatewayId: gateway.id,
    currency,
    isBuyerVerified: mayVouch,
    allowsSecond: body.allowSecondSubscription === true,
    metadata: body.metadata ?? {},
    lifeMs: sessionLifeMs,
    endsAt,
  };
  if (priced.totalMinor === 0 && mayVouch) {
    const end = await completeAtOnce(wanted, given);
    if (end === 'completed') return undefined;
    if (end === 'subscription_exists') return refuse(end);
    // The order could not be completed because of a coupon. One that was withdrawn or used up since it was read
    // is refused here. One that another buyer's unpaid attempt holds may come free: the session is created, and
    // its checkout page asks for the coupon.
    if (end !== 'no_card') {
      const again = await findCoupons(body.couponCodes, clientId, ports);
      priceSession(body, { ...again, products }, pricing);
    }
  }
  const session = await storeSession(wanted, ports);
  const now = session.createdAt;
  const wallet = hasWallet ? await offerWallet(session, now, ports) : undefined;
  return { session, shown: { gateway, allowedOrigins, wallet, now } };
}

/** Completes the order where the buyer has a saved card; the answer is then 204. */
async function completeAtOnce(
  wanted: NewSession,
  { caller, ports, key }: CallContext & { readonly key: OrderKey | undefined },
): Promise<FreeEnd['kind'] | 'no_card'> {
  const { clientId, userId, externalId, email, country } = wanted;
  if (!userId || !email) return 'no_card';
  if (!(await hasActiveMethod(ports.database, { clientId, userId }))) return 'no_card';
  const idempotencyKey = key?.idempotencyKey ?? null;
  const request = { id: caller.requestId, idempotencyKey };
  const complete = async (tx: Tx): Promise<'completed'> => {
    if (key && !(await insertOrderKey(tx, key, wanted.id))) {
      const isSame = (await findOrderOfKey(tx, key)) === 'same';
      return isSame ? 'completed' : refuse('idempotency_key_reused');
    }
    await attachBuyer(tx, { clientId, userId, externalId, email, country });
    const session = await insertSession(tx, wanted);
    const now = session.createdAt;
    const end = await completeFreeOrder(tx, session, { request, now, ports });
    if (end.kind !== 'completed') throw new NotCompleted(end.kind);
    return 'completed';
  };
  try {
    const end = await ports.database.transaction(clientId, complete);
    ports.nudge('deliver-webhooks');
    return end;
  } catch (error) {
    if (error instanceof NotCompleted) return error.reason;
    throw error;
  }
}

/** Thrown to roll back: an order that was not completed leaves no session. */
class NotCompleted extends Error {
  readonly reason: FreeEnd['kind'];

  constructor(reason: FreeEnd['kind']) {
    super(reason);
    this.reason = reason;
  }
}

function storeSession(session: NewSession, ports: Ports) {
  const { clientId, userId, externalId, email, country, isBuyerVerified } = session;
  if (!isBuyerVerified || !userId || !email) return insertSession(ports.database, session);
  return ports.database.transaction(clientId, async (tx) => {
    await attachBuyer(tx, { clientId, userId, externalId, email, country });
    return insertSession(tx, session);
  });
}

/**
 * Reads the buyer from `accountData` or from `account`, which the server library sends; both are
 * accepted only when they agree. Contract §3.
 */
function buyerOf(
  body: CreateCheckoutSession,
  clientId: string,
): Pick<NewSession, 'userId' | 'externalId' | 'country'> & { readonly email: string } {
  const { accountData, account } = body;
  const id = idOf(clientId, body);
  const email = accountData?.email ?? account?.email;
  if (!id || !email) {
    return refuse('invalid_request', {
      param: 'accountData',
      message: 'The buyer is missing: send accountData with userId and email.',
    });
  }
  if (!isSameEmail(account?.email ?? email, email)) return refuseTwoBuyers();
  return { ...id, email, country: account?.country ?? null };
}

function idOf(
  clientId: string,
  { accountData, account }: CreateCheckoutSession,
): BuyerId | undefined {
  const [one, other] = [
    accountData && readBuyer(clientId, accountData),
    account && readAccount(clientId, account),
  ];
  const isSame =
    !one || !other || (one.userId === other.userId && one.externalId === other.externalId);
  return isSame ? (one ?? other) : refuseTwoBuyers();
}

/** An account may contain the country alone. */
const readAccount = (
  clientId: string,
  { userId, externalId }: NonNullable<CreateCheckoutSession['account']>,
): BuyerId | undefined => {
  const id = userId ?? externalId ?? undefined;
  return id === undefined
    ? undefined
    : readBuyer(clientId, { userId: id, externalId }, 'account.externalId');
};

const refuseTwoBuyers = (): never =>
  refuse('invalid_request', {
    param: 'account',
    message: 'account and accountData name different buyers.',
  });

/** The session's currency, else the first one that a line names. */
const namedCurrency = ({ currency, products }: CreateCheckoutSession): string | undefined =>
  currency ?? products.find((line) => line.currency)?.currency;
