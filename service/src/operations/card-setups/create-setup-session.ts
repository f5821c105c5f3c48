import { createHash } from 'node:crypto';
import { createSetupSession as row } from '@svc/contract/card-setups';
import type { CreatedCheckoutSession } from '@svc/contract/checkout-sessions';
import { setupLifeMs } from '../../domain/payments/card-setup.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { requireServer } from '../../engine/require-server.ts';
import { refuseCrowded } from '../../engine/runs/card-setups/run-setup.ts';
import { returnUrlsOf } from '../../engine/steps/checkout-sessions/attach-cart.ts';
import { showSession } from '../../engine/steps/checkout-sessions/show-session.ts';
import { findClient } from '../../storage/accounts/clients.ts';
import {
  insertSetupSession,
  waitForNextSetup,
} from '../../storage/checkout-sessions/setup-sessions.ts';
import { findCustomerFacts } from '../../storage/customers/customer-defaults.ts';
import { lockCustomer } from '../../storage/customers/customers.ts';
import { readClock } from '../../storage/database/clock.ts';
import { chooseGateway } from '../../storage/gateways/gateways.ts';
import { insertMethod } from '../../storage/payment-methods/payment-methods.ts';

/**
 * Opens a session that saves a customer's card without charging it, with its pending method. Spec:
 * POST /v1/checkouts/sessions/setup. Refuses, in order: customer_not_found (the same for unknown and
 * foreign ones, before anything else is looked at), invalid_request, gateway_not_configured, rate_limited.
 */
export const createSetupSession = implement(row)(async ({ body }, caller, ports) => {
  const { clientId } = requireServer(caller);
  const customer = { clientId, userId: body.userId.toLowerCase() };
  const returnUrlsFor = (allowedOrigins: readonly string[]) =>
    returnUrlsOf(body, allowedOrigins, { caller, ports });
  return {
    status: 201,
    body: await openSetupSession(customer, { returnUrlsFor, lifeMs: setupLifeMs }, ports),
  };
});

export type SetupTerms = {
  readonly returnUrlsFor: (allowedOrigins: readonly string[]) => ReturnType<typeof returnUrlsOf>;
  readonly lifeMs: number;
};

/** The same for the merchant's server and for the customer's own page. */
export async function openSetupSession(
  { clientId, userId }: { clientId: string; userId: string },
  { returnUrlsFor, lifeMs }: SetupTerms,
  ports: Ports,
): Promise<CreatedCheckoutSession> {
  const customer = await findCustomerFacts(ports.database, clientId, userId);
  if (!customer) return refuse('customer_not_found');
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
    // The buyer-identity lock. Contract §3.
    await lockCustomer(tx, clientId, userId);
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
    url: `${ports.settings.checkoutUrl}/c/${session.id}#${nonce}`,
    nonce,
  };
}
