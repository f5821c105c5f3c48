import { createSetupSession as row } from '@svc/contract/customers/card-setups';
import { setupLifeMs } from '../../domain/payments/card-setup.ts';
import { createsOnce } from '../../engine/create-once.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { openSetupSession } from '../../engine/runs/card-setups/open-setup-session.ts';
import { returnUrlsOf } from '../../engine/steps/checkout-sessions/attach-cart.ts';

/**
 * Opens a session that saves a customer's card without charging it, with its pending method. Spec:
 * POST /v1/checkouts/sessions/setup. Refuses, in order: customer_not_found (for unknown and other
 * merchants' customers alike, before anything else is checked), invalid_request,
 * gateway_not_configured, rate_limited.
 */
export const createSetupSession = implement(row)(
  createsOnce(async ({ body }, caller, ports) => {
    const { clientId } = requireServer(caller);
    const customer = { clientId, userId: body.userId.toLowerCase() };
    const returnUrlsFor = (allowedOrigins: readonly string[]) =>
      returnUrlsOf(body, allowedOrigins, { caller, ports });
    return {
      status: 201,
      body: await openSetupSession(customer, { returnUrlsFor, lifeMs: setupLifeMs }, ports),
    };
  }),
);
