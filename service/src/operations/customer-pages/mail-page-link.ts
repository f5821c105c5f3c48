import { hash } from 'node:crypto';
import { sendCustomerPageLink as row } from '@svc/contract/customers/customer-page';
import { isEmail } from '@svc/contract/rows/schema';
import { mailedLinkLifeMs } from '../../domain/people/customer-page.ts';
import { implement } from '../../engine/implement.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { pageLinksWords } from '../../engine/steps/buyer-mails/buyer-words.ts';
import { makePageLink } from '../../engine/steps/customers/make-page-link.ts';
import { queueMailToBuyer } from '../../engine/steps/mails/queue-mail.ts';
import { findClient } from '../../storage/clients/clients.ts';
import { countMailedLinks, findPageLink } from '../../storage/customers/customer-pages.ts';
import { findCustomer, lockCustomer } from '../../storage/customers/customers.ts';
import { findUserLocale } from '../../storage/payments/buyer-locales.ts';

const mostAnHour = 5;

/**
 * Mails another link to the customer whom a link was mailed to, which may be over. It goes to the address that the
 * customer has by now, so an old mail in somebody else's hands opens nothing. Refuses customer_page_not_found,
 * rate_limited.
 */
export const sendCustomerPageLink = implement(row)(async ({ body }, caller, ports, refuse) => {
  const { database, settings } = ports;
  const old = await findPageLink(database, hash('sha256', body.link, 'buffer'));
  if (!old?.isMailed) return refuse('customer_page_not_found');
  const { clientId, userId } = old;
  const client = await findClient(database, clientId);
  const locale = await findUserLocale(database, clientId, userId);
  await database.transaction(clientId, async (tx) => {
    await lockCustomer(tx, clientId, userId);
    if ((await countMailedLinks(tx, old)) >= mostAnHour) {
      const message = `${mostAnHour} links were mailed within an hour. Look for them, or try again later.`;
      return refuse('rate_limited', { retryAfter: 3600, message });
    }
    const customer = await findCustomer(tx, clientId, userId);
    const terms = { returnUrl: null, lifeMs: mailedLinkLifeMs, maker: null };
    const link = await makePageLink(tx, { clientId, userId, ...terms }, ports);
    if (!client || !customer || !link || !isEmail(customer.email)) {
      return refuse('customer_page_not_found');
    }
    const resource = { resourceType: 'customer', resourceId: userId, clientId };
    const change = { action: 'customer_page.link_mailed', ...resource, after: { pageId: link.id } };
    await recordChange(tx, caller, change, ports);
    const letter = { client, mode: settings.mode, locale };
    const words = pageLinksWords(letter, [{ url: link.url, productNames: [] }]);
    const mail = { ...words, to: customer.email, kind: 'buyer_page_link' };
    await queueMailToBuyer(tx, client, mail, ports);
  });
  return { status: 202 };
});
