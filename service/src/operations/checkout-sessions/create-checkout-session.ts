import { hash } from 'node:crypto';
import {
  type CreateBody,
  type CreateCheckoutSession,
  type CreatedCheckoutSession,
  createCheckoutSession as row,
} from '@svc/contract/checkout-sessions/checkout-sessions';
import { isCurrency } from '@svc/contract/values/currencies';
import {
  type CheckoutSession,
  checkoutPageAt,
  sessionLifeMs,
  shellLifeMs,
} from '../../domain/payments/checkout-session.ts';
import { isSameEmail } from '../../domain/people/email.ts';
import { createOnce, onceOf } from '../../engine/create-once.ts';
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
import {
  completeFreeOrder,
  type FreeEnd,
} from '../../engine/steps/checkout-sessions/complete-free-order.ts';
import { freeReference } from '../../engine/steps/checkout-sessions/end-session.ts';
import { rightsOf, withOwnPrices } from '../../engine/steps/checkout-sessions/session-rights.ts';
import {
  type ShownContext,
  showSession,
} from '../../engine/steps/checkout-sessions/show-session.ts';
import { attachBuyer } from '../../engine/steps/customers/attach-buyer.ts';
import { type NewBuyer, readNewBuyer } from '../../engine/steps/customers/read-buyer.ts';
import { findSession } from '../../storage/checkout-sessions/checkout-sessions.ts';
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
 * checkout_session_reference_taken, checkout_attempt_in_progress, customer_forgotten.
 */
export const createCheckoutSession = implement(row)(async ({ body }, caller, ports) => {
  const clientId = body.clientId.toLowerCase();
  if (caller.kind === 'server' && caller.clientId !== clientId) refuse('client_not_found');
  if (caller.kind !== 'server' && !body.deferDataAttachment) {
    refuseMerchantsOwn({ ...body, products: body.products ?? [] });
  }
  const once = onceOf(caller);
  if (!once) {
    const { answer, session } = await makeAnswer(body, caller, ports);
    return session && answer.status === 201
      ? { status: 201, body: await addWallet(answer.body, session, ports) }
      : answer;
  }
  const make = async (inner: Ports) => {
    const { answer, session } = await makeAnswer(body, caller, inner);
    return { answer, finish: session ? finish : null };
  };
  return createOnce(once, { ports, make, finish });
});

type Answer =
  | { readonly status: 201; readonly body: CreatedCheckoutSession }
  | { readonly status: 204 };

/** Adds the wallet's order, which is asked for once the session has committed. */
async function finish(body: CreatedCheckoutSession, ports: Ports): Promise<CreatedCheckoutSession> {
  const found = await findSession(ports.database, hash('sha256', body.nonce, 'buffer'), body.id);
  return found ? addWallet(body, found.session, ports) : body;
}

async function addWallet(
  body: CreatedCheckoutSession,
  session: CheckoutSession,
  ports: Ports,
): Promise<CreatedCheckoutSession> {
  const wallet = await offerWallet(session, session.createdAt, ports);
  return wallet ? { ...body, gateways: { ...body.gateways, wallet } } : body;
}

/** Returns the answer, and the session where a wallet may be added to it. */
async function makeAnswer(
  body: CreateBody,
  caller: Caller,
  ports: Ports,
): Promise<{ readonly answer: Answer; readonly session: CheckoutSession | null }> {
  const nonce = ports.randomBytes(32).toString('base64url');
  const once = {
    id: ports.newId(),
    clientId: body.clientId.toLowerCase(),
    nonceSha256: hash('sha256', nonce, 'buffer'),
  };
  const { deferDataAttachment, products = [], ...rest } = body;
  const created = deferDataAttachment
    ? await createShell(body, once, ports)
    : await createSession({ ...rest, products }, { once, caller, ports });
  if (!created) return { answer: { status: 204 }, session: null };
  const { session, shown, hasWallet } = created;
  const url = `${checkoutPageAt(ports.settings, session.id)}#${nonce}`;
  return {
    answer: { status: 201, body: { ...showSession(session, shown, ports), url, nonce } },
    session: hasWallet ? session : null,
  };
}

type SessionIdentity = Pick<NewSession, 'id' | 'clientId' | 'nonceSha256'>;
type CreatedSession = {
  readonly session: CheckoutSession;
  readonly shown: ShownContext;
  readonly hasWallet: boolean;
};

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
  const shown = { gateway, allowedOrigins, now: session.createdAt };
  return { session, shown, hasWallet: false };
}

type CallContext = {
  readonly once: SessionIdentity;
  readonly caller: Caller;
  readonly ports: Ports;
};

/**
 * Creates a session with cart and buyer. Returns undefined where nothing was due and the buyer's
 * card is saved: the order is completed.
 */
async function createSession(
  body: CreateCheckoutSession,
  given: CallContext,
): Promise<CreatedSession | undefined> {
  const { once, caller, ports } = given;
  const { clientId } = once;
  const { mayOverride, mayVouch } = rightsOf(caller);
  // Queried in parallel, checked in order.
  const currency = namedCurrency(body);
  const [fixture, coupons, askedAt] = await Promise.all([
    findSessionPrerequisites(ports.database, {
      clientId,
      codes: codesOf(body.products),
      currency: currency ?? '',
      country: body.account?.country ?? null,
    }),
    findCoupons(body.couponCodes, clientId, ports),
    // Without `expiresAt` the time is not needed.
    body.expiresAt === undefined ? new Date(0) : readAskingTime(ports.database),
  ]);
  if (!fixture) return refuse('client_not_found');
  const { allowedOrigins, gateway, hasWallet, products } = fixture;
  const buyer = buyerOf(body, clientId, ports);
  const isBuyerVerified = mayVouch && !buyer.isGuest;
  const endsAt = expiryOf(body, askedAt);
  if (!currency) return refuse('currency_required');
  const returnUrls = returnUrlsOf(body, allowedOrigins, { caller, ports });
  const pricing = { currency, isTrusted: mayOverride, isBuyerVerified };
  const priced = withOwnPrices(caller, () => priceSession(body, { ...coupons, products }, pricing));
  if (!gateway) return refuse('gateway_not_configured');
  const wanted: NewSession = {
    ...once,
    ...buyer,
    ...priced,
    ...returnUrls,
    gatewayId: gateway.id,
    currency,
    isBuyerVerified,
    allowsSecond: body.allowSecondSubscription === true,
    metadata: body.metadata ?? {},
    reference: body.reference ?? null,
    lifeMs: sessionLifeMs,
    endsAt,
  };
  const replacing = { ...given, replaces: body.replaces === true };
  if (priced.totalMinor === 0 && isBuyerVerified) {
    const end = await completeAtOnce(wanted, replacing);
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
  const session = await storeSession(wanted, replacing);
  return { session, shown: { gateway, allowedOrigins, now: session.createdAt }, hasWallet };
}

type Replacing = CallContext & { readonly replaces: boolean };

/** Completes the order where the buyer has a saved card; the answer is then 204. */
async function completeAtOnce(
  wanted: NewSession,
  replacing: Replacing,
): Promise<FreeEnd['kind'] | 'no_card'> {
  const { caller, ports } = replacing;
  const { clientId, userId, externalId, email, country } = wanted;
  if (!userId || !email) return 'no_card';
  if (!(await hasActiveMethod(ports.database, { clientId, userId }))) return 'no_card';
  const idempotencyKey = onceOf(caller)?.idempotencyKey ?? null;
  const request = { id: caller.requestId, idempotencyKey };
  const complete = async (tx: Tx): Promise<'completed'> => {
    await takeReference(tx, wanted, replacing);
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

function storeSession(session: NewSession, replacing: Replacing) {
  const { clientId, userId, externalId, email, country, isBuyerVerified, reference } = session;
  const { database } = replacing.ports;
  const buyer =
    isBuyerVerified && userId && email ? { clientId, userId, externalId, email, country } : null;
  if (!buyer && reference === null) return insertSession(database, session);
  return database.transaction(clientId, async (tx) => {
    await takeReference(tx, session, replacing);
    if (buyer) await attachBuyer(tx, buyer);
    return insertSession(tx, session);
  });
}

async function takeReference(
  tx: Tx,
  { clientId, reference }: NewSession,
  { caller, ports, replaces }: Replacing,
): Promise<void> {
  if (reference === null) return;
  await freeReference(tx, { clientId, reference, replaces, caller }, ports);
}

/**
 * Reads the buyer from `accountData` or from `account`, which the server library sends; both are
 * accepted only when they agree. Contract §3.
 */
function buyerOf(
  { accountData, account }: CreateCheckoutSession,
  clientId: string,
  { newId }: Ports,
): NewBuyer & Pick<NewSession, 'country'> & { readonly email: string } {
  const email = accountData?.email ?? account?.email;
  if (email === undefined) {
    return refuse('invalid_request', {
      param: 'accountData',
      message: 'The buyer is missing: send accountData with userId and email.',
    });
  }
  if (!isSameEmail(account?.email ?? email, email)) return refuseTwoBuyers();
  const country = account?.country ?? null;
  const one = accountData && readNewBuyer(clientId, accountData, { newId });
  if (one && !namesBuyer(account)) return { ...one, email, country };
  const path = account ? 'account' : 'accountData';
  const other = readNewBuyer(clientId, { ...account, email }, { newId, path });
  const isSame =
    !one ||
    (one.isGuest && other.isGuest && one.externalId === null) ||
    (one.userId === other.userId && one.externalId === other.externalId);
  return isSame ? { ...(one ?? other), email, country } : refuseTwoBuyers();
}

/** An account may contain the country alone, or country and email. */
const namesBuyer = (account: CreateCheckoutSession['account']): boolean =>
  (account?.userId ?? account?.externalId ?? undefined) !== undefined || account?.guest === true;

const refuseTwoBuyers = (): never =>
  refuse('invalid_request', {
    param: 'account',
    message: 'account and accountData name different buyers.',
  });

/** The session's currency, else the first one that a line names. */
const namedCurrency = ({ currency, products }: CreateCheckoutSession): string | undefined =>
  currency ?? products.find((line) => line.currency)?.currency;
