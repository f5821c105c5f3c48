import { hash } from 'node:crypto';
import { createCustomerPageLink as row } from '@svc/contract/customer-page';
import { customerPageAt, pageLinkLifeMs } from '../../domain/people/customer-page.ts';
import { isAllowedReturnUrl, resolveReturnUrl } from '../../domain/protocol/return-url.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { findClient } from '../../storage/accounts/clients.ts';
import { insertPageLink } from '../../storage/customers/customer-pages.ts';

/**
 * Creates a one-time link to the customer's page. Each call creates another one; earlier links stay
 * valid for their ten minutes. Decision 0056. Refuses, in order: invalid_request,
 * customer_not_found.
 */
export const createCustomerPageLink = implement(row)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
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
  const link = ports.randomBytes(32).toString('base64url');
  const page = {
    id: ports.newId(),
    clientId,
    userId: input.customerId.toLowerCase(),
    linkSha256: hash('sha256', link, 'buffer'),
    returnUrl: resolveReturnUrl(returnUrl, allowedOrigins[0] ?? null),
    lifeMs: pageLinkLifeMs,
  };
  const expiresAt = await ports.database.transaction(clientId, async (tx) => {
    const until = await insertPageLink(tx, page);
    if (!until) return refuse('customer_not_found');
    const resource = { resourceType: 'customer', resourceId: page.userId };
    const change = { action: 'customer_page.link_created', ...resource };
    await recordChange(tx, caller, { ...change, after: { pageId: page.id } }, ports);
    return until;
  });
  // The link is in the fragment, which browsers put into no request, log or referrer.
  const { checkoutUrl } = ports.settings;
  const url = `${customerPageAt({ checkoutUrl, clientId })}#${link}`;
  return { status: 201, body: { url, expiresAt: expiresAt.toISOString() } };
});
