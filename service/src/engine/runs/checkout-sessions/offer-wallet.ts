// Offers the wallet in an open session, with an order that the page can have approved at once: the
// direct flow. Contract §3, `gateways.wallet`; docs/decisions/wallet.md.

import {
  type CheckoutSession,
  checkoutPageAt,
  hasEndedUnpaid,
} from '../../../domain/payments/checkout-session.ts';
import { keepsWallet, offersWallet } from '../../../domain/payments/wallet-order.ts';
import {
  findWalletOffer,
  renewWalletOrder,
  reserveWalletOrder,
  setWalletOrder,
  type WalletOffer,
} from '../../../storage/checkout-sessions/wallet-orders.ts';
import type { Gateway, Ports } from '../../ports.ts';
import type { ShownContext } from '../../steps/checkout-sessions/show-session.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { ensureProviderCustomer } from '../../steps/payment-methods/ensure-provider-customer.ts';

/**
 * A wallet that takes longer than this, in milliseconds, is not offered this time; its order is
 * found at the next call.
 */
const patienceMs = 1500;
/** How long, in milliseconds, no session asks a wallet again after it was too slow. */
const restMs = 5000;
const resting = new WeakMap<Ports, Map<string, number>>();

/**
 * Returns what a page needs to have the wallet approve; undefined where the session accepts no
 * wallet, the merchant has none, or the wallet does not answer. Repeatable: there is one order per
 * session and amount.
 */
export async function offerWallet(
  session: CheckoutSession,
  now: Date,
  ports: Ports,
): Promise<ShownContext['wallet']> {
  const isPayable =
    session.mode === 'payment' && session.status === 'open' && !hasEndedUnpaid(session, now);
  if (!isPayable || !offersWallet(session)) return undefined;
  const offer = await findWalletOffer(ports.database, session);
  if (!offer) return undefined;
  const orderId = offer.orderId ?? (await createOrderInTime(session, offer, ports));
  return orderId ? { clientId: offer.publishableKey, orderId } : undefined;
}

/**
 * Returns the order's id; undefined when it is not known that the wallet has created one.
 * Concurrent callers get the same order.
 */
async function makeOrder(
  session: CheckoutSession,
  { gatewayId }: WalletOffer,
  ports: Ports,
): Promise<string | undefined> {
  const { clientId, totalMinor, currency } = session;
  const newId = ports.newId();
  const { id, orderId: known } = await reserveWalletOrder(ports.database, session, {
    newId,
    gatewayId,
  });
  if (known) return known;
  const gateway = await openGateway(ports, clientId, gatewayId);
  const keeping = await findKeeping(session, gateway, ports);
  const orderId =
    keeping &&
    (await ports.prepareOrder(gateway, {
      paymentId: id,
      amountMinor: totalMinor ?? 0,
      currency: currency ?? '',
      returnUrl: checkoutPageAt(ports.settings, session.id),
      ...keeping,
    }));
  if (!orderId) {
    await renewWalletOrder(ports.database, { clientId, id, newId: ports.newId() });
    return undefined;
  }
  const isKept = await setWalletOrder(ports.database, { clientId, id, orderId });
  return isKept ? orderId : undefined;
}

/**
 * Returns the customer for whom the order saves the wallet, where the cart needs that; undefined
 * where it cannot be saved.
 */
async function findKeeping(
  session: CheckoutSession,
  gateway: Gateway,
  ports: Ports,
): Promise<{ keepForCustomerId?: string } | undefined> {
  const { clientId, userId } = session;
  if (!keepsWallet(session)) return {};
  if (userId === null) return undefined;
  const customer = await ensureProviderCustomer(ports, { clientId, userId, gateway });
  return customer.kind === 'known' ? { keepForCustomerId: customer.customerId } : undefined;
}

function createOrderInTime(
  session: CheckoutSession,
  offer: WalletOffer,
  ports: Ports,
): Promise<string | undefined> {
  const rests = resting.get(ports) ?? new Map<string, number>();
  resting.set(ports, rests);
  if ((rests.get(offer.gatewayId) ?? 0) > performance.now()) return Promise.resolve(undefined);
  const work = makeOrder(session, offer, ports);
  // A failure after the deadline is ignored: no caller waits for the order any more.
  work.catch(() => undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      rests.set(offer.gatewayId, performance.now() + restMs);
      resolve(undefined);
    }, patienceMs);
  });
  return Promise.race([work, patience]).finally(() => clearTimeout(timer));
}
