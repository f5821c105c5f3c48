import { createHash } from 'node:crypto';
import {
  type CreateCheckoutSession,
  createCheckoutSession as row,
} from '@svc/contract/checkout-sessions';
import {
  allowsManualCapture,
  type CatalogProduct,
  type Line,
  mostChargeMinor,
  priceLines,
  sessionLifeMs,
  totalsOf,
} from '../../domain/checkout-session.ts';
import { assertCarried } from '../../domain/money.ts';
import { isAllowedReturnUrl, isLoopbackOrigin, resolveReturnUrl } from '../../domain/return-url.ts';
import { findCartProducts } from '../../storage/catalog.ts';
import { insertSession, type NewSession } from '../../storage/checkout-sessions.ts';
import { findClient } from '../../storage/clients.ts';
import { attachCustomer } from '../../storage/customers.ts';
import { chooseGateway } from '../../storage/gateways.ts';
import { implement, refuse } from '../implement.ts';
import type { Caller, Ports } from '../ports.ts';
import { showSession } from './show-session.ts';

/**
 * Creates a session with cart and buyer. Needs no credential: prices come from the catalog. With
 * the merchant's credential line amounts may be overridden and the buyer counts as verified.
 * Spec: Checkout sessions, POST. Contract §3. Refuses, in order: client_not_found, invalid_request,
 * currency_required, invalid_catalog_data, amount_precision, capture_method_not_supported.
 */
export const createCheckoutSession = implement(row)(async ({ body }, caller, ports) => {
  const clientId = body.clientId.toLowerCase();
  const isMerchant = caller.kind === 'server';
  if (isMerchant && caller.clientId !== clientId) refuse('client_not_found');
  // Asked side by side, judged in order.
  const [client, products, gateway] = await Promise.all([
    findClient(ports.database, clientId),
    findCartProducts(ports.database, clientId, {
      codes: body.products.map((line) => line.code),
      currency: namedCurrency(body) ?? '',
    }),
    chooseGateway(ports.database, clientId, {
      provider: 'cardprovider',
      country: body.account?.country ?? null,
    }),
  ]);
  if (!client) return refuse('client_not_found');
  const buyer = buyerOf(body);
  const currency = currencyOf(body);
  assertReturnUrls(body, client.allowedOrigins, ports);
  const lines = priceCart(body, products, { currency, isMerchant });
  const captureMethod = body.captureMethod ?? 'automatic';
  if (captureMethod === 'manual' && !allowsManualCapture(lines)) {
    refuse('capture_method_not_supported');
  }
  const totals = totalsOf(lines);
  if (totals.totalMinor === 0) {
    refuse('invalid_catalog_data', { message: 'Nothing is due; there is nothing to pay.' });
  }
  if (totals.totalMinor > mostChargeMinor) {
    refuse('invalid_catalog_data', {
      message: 'The total is over the largest amount that can be charged at once.',
    });
  }
  assertCarried(totals.totalMinor, { currency, provider: 'cardprovider' });
  const base = siteOf(caller, client.allowedOrigins, ports);
  if (!gateway) return refuse('gateway_unavailable', { message: 'The merchant has no gateway.' });

  const nonce = ports.randomBytes(32).toString('base64url');
  const created = await store(
    {
      ...totals,
      id: ports.newId(),
      clientId,
      nonceSha256: createHash('sha256').update(nonce).digest(),
      captureMethod,
      gatewayId: gateway.id,
      currency,
      country: buyer.country,
      userId: buyer.userId,
      email: buyer.email,
      isBuyerVerified: isMerchant,
      lines,
      couponCodes: [],
      successUrl: resolveReturnUrl(body.successUrl, base),
      cancelUrl: resolveReturnUrl(body.cancelUrl, base),
      metadata: body.metadata ?? {},
      lifeMs: sessionLifeMs,
    },
    caller,
    ports,
  );
  const shown = { gateway, allowedOrigins: client.allowedOrigins, now: created.createdAt };
  return {
    status: 201,
    body: {
      ...showSession(created, shown, ports),
      url: `${ports.settings.checkoutUrl}/c/${created.id}#${nonce}`,
      nonce,
    },
  };
});

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

/** The session's currency, or the one that all lines share. */
function currencyOf(body: CreateCheckoutSession): string {
  const currency = namedCurrency(body);
  if (!currency) return refuse('currency_required');
  if (body.products.some((line) => (line.currency ?? currency) !== currency)) {
    return refuse('invalid_catalog_data', { message: 'The lines name different currencies.' });
  }
  return currency;
}

/** The merchant's site that a path belongs to: the calling page's, else the first registered one. */
function siteOf(caller: Caller, allowedOrigins: readonly string[], ports: Ports): string | null {
  const { origin } = caller;
  const isKnown =
    origin !== null &&
    (allowedOrigins.includes(origin) || (!ports.settings.isLive && isLoopbackOrigin(origin)));
  return isKnown ? origin : (allowedOrigins[0] ?? null);
}

function assertReturnUrls(
  body: CreateCheckoutSession,
  allowedOrigins: readonly string[],
  ports: Ports,
): void {
  const rules = { allowedOrigins, isSandbox: !ports.settings.isLive };
  for (const param of ['successUrl', 'cancelUrl'] as const) {
    const url = body[param];
    if (url !== undefined && !isAllowedReturnUrl(url, rules)) {
      refuse('invalid_request', {
        param,
        message: `${param} must be a path or an https address on a registered origin.`,
      });
    }
  }
}

function priceCart(
  body: CreateCheckoutSession,
  products: readonly CatalogProduct[],
  { currency, isMerchant }: { currency: string; isMerchant: boolean },
): Line[] {
  const couponCodes = body.couponCodes ?? [];
  const { lines, problems } = priceLines(body.products, products, {
    currency,
    mayOverride: isMerchant,
  });
  const unknown = couponCodes.map((_, index) => ({
    path: `couponCodes/${index}`,
    code: 'coupon_unknown',
    message: 'No such coupon.',
  }));
  const errors = [...problems, ...unknown];
  const [first] = errors;
  if (first) {
    refuse('invalid_catalog_data', { errors, message: `${first.message} (${first.path})` });
  }
  return lines;
}
