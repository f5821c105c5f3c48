import { hash } from 'node:crypto';
import { rows } from '@svc/contract';
import { openCustomerPage as row } from '@svc/contract/customers/customer-page';
import { maskEmail, pageLifeMs } from '../../domain/people/customer-page.ts';
import { implement } from '../../engine/implement.ts';
import { showMerchant } from '../../engine/steps/clients/show-client.ts';
import { isOpenByLink } from '../../engine/steps/customer-pages/open-by-link.ts';
import { findPageLink, openPage } from '../../storage/customers/customer-pages.ts';

/**
 * Opens the page of a link, as often as it is called until the link's end: whatever loads a mailed link first
 * takes nothing from its reader. Refuses customer_page_link_expired, customer_page_mail_expired,
 * customer_page_not_found.
 */
export const openCustomerPage = implement(row)(async ({ body }, _caller, ports, refuse) => {
  const pageToken = ports.randomBytes(32).toString('base64url');
  const linkSha256 = hash('sha256', body.link, 'buffer');
  const opened = await openPage(ports.database, {
    linkSha256,
    pageSha256: hash('sha256', pageToken, 'buffer'),
    lifeMs: pageLifeMs,
  });
  if (!opened) {
    const link = await findPageLink(ports.database, linkSha256);
    if (!link?.isOver) return refuse('customer_page_not_found');
    return refuse(link.isMailed ? 'customer_page_mail_expired' : 'customer_page_link_expired');
  }
  const { isLive, email, language, returnUrl, expiresAt, maker } = opened;
  const add = isOpenByLink(rows.createCustomerPageSetup, maker);
  const remove = isOpenByLink(rows.deleteCustomerPageMethod, maker);
  const makeDefault = isOpenByLink(rows.updateCustomerPageDefault, maker);
  const seePurchases = isOpenByLink(rows.getCustomerPageSubscriptions, maker);
  const seeDetails = isOpenByLink(rows.getCustomerPageDetails, maker);
  const changeDetails = seeDetails && isOpenByLink(rows.updateCustomerPageDetails, maker);
  const replace = add && remove;
  const merchant = showMerchant(opened.client);
  return {
    status: 200,
    body: {
      pageToken,
      expiresAt: expiresAt.toISOString(),
      merchantName: merchant.name,
      merchant,
      email: maskEmail(email),
      language,
      timeZone: opened.client.timeZone,
      livemode: isLive,
      returnUrl,
      may: { add, remove, makeDefault, replace, seePurchases, seeDetails, changeDetails },
    },
  };
});
