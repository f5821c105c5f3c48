import { hash } from 'node:crypto';
import { sendCustomerPageLink as row } from '@svc/contract/customers/customer-page';
import { isEmail } from '@svc/contract/rows/schema';
import { implement } from '../../engine/implement.ts';
import { mailPageLinks } from '../../engine/steps/customer-pages/mail-page-links.ts';
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
  const { database } = ports;
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
    if (!client || !customer || !isEmail(customer.email)) return refuse('customer_page_not_found');
    const customers = [{ userId, productNames: [] }];
    const wish = { caller, client, to: customer.email, customers, locale };
    if (!(await mailPageLinks(tx, wish, ports))) return refuse('customer_page_not_found');
  });
  return { status: 202 };
});
