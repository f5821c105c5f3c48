import { createHash } from 'node:crypto';
import type { CreatedCheckoutSession } from '@svc/contract/checkout-sessions/checkout-sessions';
import { checkoutPageAt } from '../../../domain/payments/checkout-session.ts';
import {
  insertSetupSession,
  waitForNextSetup,
} from '../../../storage/checkout-sessions/setup-sessions.ts';
import { findClient } from '../../../storage/clients/clients.ts';
import { findCustomerFacts } from '../../../storage/customers/customer-defaults.ts';
import { readClock } from '../../../storage/database/clock.ts';
import { chooseGateway } from '../../../storage/gateways/gateways.ts';
import { insertMethod } from '../../../storage/payment-methods/payment-methods.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import type { returnUrlsOf } from '../../steps/checkout-sessions/attach-cart.ts';
import { showSession } from '../../steps/checkout-sessions/show-session.ts';
import { lockBuyer } from '../../steps/customers/attach-buyer.ts';
import { refuseCrowded } from './run-setup.ts';

export type SetupTerms = {
  readonly returnUrlsFor: (allowedOrigins: readonly string[]) => ReturnType<typeof returnUrlsOf>;
  readonly lifeMs: number;
};

/**
 * Opens a session for saving a card, for the merchant's server and for the customer's own page.
 * Refuses customer_not_found, customer_forgotten, gateway_not_configured and rate_limited.
 */
export async function openSetupSession(
  { clientId, userId }: { clientId: string; userId: string },
  { returnUrlsFor, lifeMs }: SetupTerms,
  ports: Ports,
): Promise<CreatedCheckoutSession> {
  const customer = await findCustomerFacts(ports.database, clientId, userId);
  if (!customer) return refuse('customer_not_found');
  if (customer.isForgotten) return refuse('customer_forgotten');
  const { email, country, externalId } = customer;
  const [client, gateway] = await Promise.all([
    findClient(ports.database, clientId),
    chooseGateway(ports.database, clientId, { provider: 'cardprovider', country }),
  ]);
  if (!client) throw new Error(`client ${clientId} is missing`);
  const { allowedOrigins } = client;
  const returnUrls = returnUrlsFor(allowedOrigins);
  if (!gateway) {
    return refuse('gateway_not_configured', {
      message: 'No gateway of the merchant saves cards of this customer.',
    });
  }
  const nonce = ports.randomBytes(32).toString('base64url');
  const [sessionId, methodId] = [ports.newId(), ports.newId()];
  const session = await ports.database.transaction(clientId, async (tx) => {
    // The lock on the buyer's identity. Contract §3.
    await lockBuyer(tx, clientId, userId);
    const now = await readClock(tx);
    const perHour = ports.settings.attemptLimits?.setupsPerHour;
    if (perHour !== undefined) {
      const wait = await waitForNextSetup(tx, { clientId, userId }, { perHour, now });
      if (wait !== null) refuseCrowded(wait, perHour);
    }
    const opened = await insertSetupSession(tx, {
      id: sessionId,
      clientId,
      gatewayId: gateway.id,
      country,
      userId,
      externalId,
      email,
      ...returnUrls,
      nonceSha256: createHash('sha256').update(nonce).digest(),
      lifeMs,
      now,
    });
    await insertMethod(tx, {
      id: methodId,
      clientId,
      userId,
      gatewayId: gateway.id,
      provider: 'cardprovider',
      type: 'card',
      sessionId,
      isLive: ports.settings.isLive,
      createdAt: now,
    });
    return opened;
  });
  const shown = { gateway, allowedOrigins, now: session.createdAt };
  return {
    ...showSession(session, shown, ports),
    url: `${checkoutPageAt(ports.settings, session.id)}#${nonce}`,
    nonce,
  };
}
