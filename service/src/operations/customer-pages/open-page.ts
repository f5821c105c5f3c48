import { hash } from 'node:crypto';
import { rows } from '@svc/contract';
import { openCustomerPage as row } from '@svc/contract/customers/customer-page';
import { maskEmail, pageLifeMs } from '../../domain/people/customer-page.ts';
import { implement } from '../../engine/implement.ts';
import { showMerchant } from '../../engine/steps/clients/show-client.ts';
import { isOpenByLink } from '../../engine/steps/customer-pages/open-by-link.ts';
import { openPage } from '../../storage/customers/customer-pages.ts';

/**
 * Opens the page of a link, once: the link is spent, and only this caller gets the page's token.
 * Refuses customer_page_not_found for unknown, opened and expired links alike.
 */
export const openCustomerPage = implement(row)(async ({ body }, _caller, ports, refuse) => {
  const pageToken = ports.randomBytes(32).toString('base64url');
  const opened = await openPage(ports.database, {
    linkSha256: hash('sha256', body.link, 'buffer'),
    pageSha256: hash('sha256', pageToken, 'buffer'),
    lifeMs: pageLifeMs,
  });
  if (!opened) return refuse('customer_page_not_found');
  const { isLive, email, returnUrl, expiresAt, maker } = opened;
  const add = isOpenByLink(rows.createCustomerPageSetup, maker);
  const remove = isOpenByLink(rows.deleteCustomerPageMethod, maker);
  const makeDefault = isOpenByLink(rows.updateCustomerPageDefault, maker);
  const merchant = showMerchant(opened.client);
  return {
    status: 200,
    body: {
      pageToken,
      expiresAt: expiresAt.toISOString(),
      merchantName: merchant.name,
      merchant,
      email: maskEmail(email),
      livemode: isLive,
      returnUrl,
      may: { add, remove, makeDefault, replace: add && remove },
    },
  };
});
