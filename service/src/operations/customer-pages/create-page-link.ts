import { createCustomerPageLink as row } from '@svc/contract/customers/customer-page';
import { pageLinkLifeMs } from '../../domain/people/customer-page.ts';
import { isAllowedReturnUrl, resolveReturnUrl } from '../../domain/protocol/addresses.ts';
import { createsOnce } from '../../engine/create-once.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { makePageLink } from '../../engine/steps/customers/make-page-link.ts';
import { findClient } from '../../storage/clients/clients.ts';
import { lockCustomer } from '../../storage/customers/customers.ts';

/**
 * Creates a link to the customer's page. Each call creates another one; earlier links stay valid for their ten
 * minutes. The page shows and changes only what the scopes of the calling token allow.
 * docs/decisions/hosted-pages.md. Refuses, in order: invalid_request, customer_not_found, customer_forgotten.
 */
export const createCustomerPageLink = implement(row)(
  createsOnce(async (input, caller, ports, refuse) => {
    const maker = requireServer(caller);
    const { clientId } = maker;
    const client = await findClient(ports.database, clientId);
    const allowedOrigins = client?.allowedOrigins ?? [];
    const { returnUrl } = input.body;
    const rules = { allowedOrigins, isSandbox: !ports.settings.isLive };
    if (returnUrl !== undefined && !isAllowedReturnUrl(returnUrl, rules)) {
      return refuse('invalid_request', {
        param: 'returnUrl',
        message: 'returnUrl must be a path or an https address on a registered origin.',
      });
    }
    const userId = input.customerId.toLowerCase();
    const made = await ports.database.transaction(clientId, async (tx) => {
      const wish = {
        clientId,
        userId,
        maker,
        returnUrl: resolveReturnUrl(returnUrl, allowedOrigins[0] ?? null),
        lifeMs: pageLinkLifeMs,
      };
      const link = await makePageLink(tx, wish, ports);
      if (!link) {
        const isForgotten = await lockCustomer(tx, clientId, userId);
        return refuse(isForgotten ? 'customer_forgotten' : 'customer_not_found');
      }
      const resource = { resourceType: 'customer', resourceId: userId };
      const change = { action: 'customer_page.link_created', ...resource };
      await recordChange(tx, caller, { ...change, after: { pageId: link.id } }, ports);
      return link;
    });
    return { status: 201, body: { url: made.url, expiresAt: made.expiresAt.toISOString() } };
  }),
);
