import { hash } from 'node:crypto';
import {
  type CreateBody,
  type CreateCheckoutSession,
  createCheckoutSession as row,
  shellFields,
} from '@svc/contract/checkout-sessions';
import { type CheckoutSession, sessionLifeMs, shellLifeMs } from '../../domain/checkout-session.ts';
import { isCurrency } from '../../domain/money.ts';
import { findClient } from '../../storage/clients.ts';
import { readAskingTime } from '../../storage/clock.ts';
import { attachCustomer } from '../../storage/customers.ts';
import { hasActiveMethod } from '../../storage/payment-methods.ts';
import { insertShell } from '../../storage/session-claims.ts';
import { findSessionGround } from '../../storage/session-ground.ts';
import { insertSession, type NewSession } from '../../storage/session-inserts.ts';
import { implement, refuse } from '../implement.ts';
import type { Caller, Ports } from '../ports.ts';
import { endOf, findCoupons, priceSession, refuseFree, returnUrlsOf } from './attach-cart.ts';
import { offerWallet } from './offer-wallet.ts';
import { type Shown, showSession } from './show-session.ts';

/**
 * Creates a session with cart and buyer, or a shell that a claim attaches them to. Needs no
 * credential: prices come from the catalog. With the merchant's credential line amounts may be
 * overridden, the buyer counts as verified, and 204 says that nothing is due and a card is on file:
 * no session is made, no coupon used. Spec: Checkout sessions, POST. Contract §3. Refuses,
 * in order: client_not_found, invalid_request, currency_required, invalid_catalog_data,
 * amount_precision, capture_method_not_supported, gateway_unavailable.
 */
export const createCheckoutSession = implement(row)(async ({ body }, caller, ports) => {
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
    : await createWhole({ ...rest, products }, { once, caller, ports });
  if (!created) return { status: 204 };
  const { session, shown } = created;
  return {
    status: 201,
    body: {
      ...showSession(session, shown, ports),
      url: `${ports.settings.checkoutUrl}/c/${session.id}#${nonce}`,
      nonce,
    },
  };
});

type Once = Pick<NewSession, 'id' | 'clientId' | 'nonceSha256'>;
type Created = { readonly session: CheckoutSession; readonly shown: Shown };

/** The light create: no catalog, no locks, one statement. Spec: Checkout sessions, POST. */
async function createShell(body: CreateBody, once: Once, ports: Ports): Promise<Created> {
  assertShellOnly(body);
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
    return refuse('gateway_unavailable', { message: 'The merchant has no gateway.' });
  }
  const { session, gateway, allowedOrigins } = shell;
  return { session, shown: { gateway, allowedOrigins, now: session.createdAt } };
}

/** A field that belongs to the claim would be lost on a shell without a word. */
function assertShellOnly(body: CreateBody): void {
  const known: readonly string[] = shellFields;
  const foreign =
    Object.keys(body).find((name) => !known.includes(name)) ??
    Object.keys(body.account ?? {})
      .filter((name) => name !== 'country')
      .map((name) => `account.${name}`)[0];
  if (foreign === undefined) return;
  refuse('invalid_request', {
    param: foreign,
    message: `A shell takes clientId, currency and account.country only; ${foreign} goes on the claim.`,
  });
}

/** Undefined where nothing is due and the buyer's card is on file: there is nothing to check out. */
async function createWhole(
  body: CreateCheckoutSession,
  { once, caller, ports }: { once: Once; caller: Caller; ports: Ports },
): Promise<Created | undefined> {
  const { clientId } = once;
  const isTrusted = caller.kind === 'server';
  // Asked side by side, judged in order.
  const currency = namedCurrency(body);
  const [ground, coupons, askedAt] = await Promise.all([
    findSessionGround(ports.database, {
      clientId,
      codes: body.products.map((line) => line.code),
      currency: currency ?? '',
      country: body.account?.country ?? null,
    }),
    findCoupons(body.couponCodes, clientId, ports),
    // Without a wish nothing has to be asked.
    body.expiresAt === undefined ? new Date(0) : readAskingTime(ports.database),
  ]);
  if (!ground) return refuse('client_not_found');
  const { allowedOrigins, gateway, hasWallet, products } = ground;
  const buyer = buyerOf(body);
  const endsAt = endOf(body, askedAt);
  if (!currency) return refuse('currency_required');
  const returnUrls = returnUrlsOf(body, allowedOrigins, { caller, ports });
  const pricing = { currency, isTrusted, mayBeFree: isTrusted };
  const priced = priceSession(body, { ...coupons, products }, pricing);
  if (priced.totalMinor === 0) {
    const { userId } = buyer;
    return (await hasActiveMethod(ports.database, { clientId, userId })) ? undefined : refuseFree();
  }
  if (!gateway) return refuse('gateway_unavailable', { message: 'The merchant has no gateway.' });
  const session = await store(
    {
      ...once,
      ...buyer,
      ...priced,
      ...returnUrls,
      gatewayId: gateway.id,
      currency,
      isBuyerVerified: isTrusted,
      metadata: body.metadata ?? {},
      lifeMs: sessionLifeMs,
      endsAt,
    },
    caller,
    ports,
  );
  const now = session.createdAt;
  const wallet = hasWallet ? await offerWallet(session, now, ports) : undefined;
  return { session, shown: { gateway, allowedOrigins, wallet, now } };
}

function store(session: NewSession, caller: Caller, ports: Ports) {
  const { clientId, userId, email, country } = session;
  if (caller.kind !== 'server' || !userId || !email) return insertSession(ports.database, session);
  return ports.database.transaction(clientId, async (tx) => {
    await attachCustomer(tx, { clientId, userId, email, country });
    return insertSession(tx, session);
  });
}

/** `accountData`, or the server library's `account`; both only when they agree. Contract §3. */
function buyerOf({ accountData, account }: CreateCheckoutSession): {
  userId: string;
  email: string;
  country: string | null;
} {
  const userId = accountData?.userId ?? account?.userId;
  const email = accountData?.email ?? account?.email;
  const isSame =
    (account?.userId ?? userId)?.toLowerCase() === userId?.toLowerCase() &&
    (account?.email ?? email)?.toLowerCase() === email?.toLowerCase();
  if (!userId || !email) {
    return refuse('invalid_request', {
      param: 'accountData',
      message: 'The buyer is missing: send accountData with userId and email.',
    });
  }
  if (!isSame) {
    return refuse('invalid_request', {
      param: 'account',
      message: 'account and accountData name different buyers.',
    });
  }
  return { userId: userId.toLowerCase(), email, country: account?.country ?? null };
}

/** The session's currency, else the first one that a line names. */
const namedCurrency = ({ currency, products }: CreateCheckoutSession): string | undefined =>
  currency ?? products.find((line) => line.currency)?.currency;
