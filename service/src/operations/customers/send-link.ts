import { sendCustomerLink as row } from '@svc/contract/customers/customers';
import { isEmail } from '@svc/contract/rows/schema';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { mailPageLinks } from '../../engine/steps/customer-pages/mail-page-links.ts';
import {
  addressKey,
  mostFromNetwork,
  mostToOne,
  takeMail,
  wishKey,
} from '../../engine/steps/customer-pages/page-mail-limits.ts';
import {
  getKnownCustomer,
  lockKnownCustomer,
} from '../../engine/steps/customers/lock-known-customer.ts';
import { findClient } from '../../storage/clients/clients.ts';
import { findUserLocale } from '../../storage/payments/buyer-locales.ts';

/**
 * Mails the customer a link to the customer's page, to no other address. It counts towards the mails that the page's own form
 * may send there; of a person of the merchant, not of a network, which an office shares. Refuses, in order:
 * customer_not_found, customer_forgotten, invalid_request where no mail reaches the address, rate_limited.
 */
export const sendCustomerLink = implement(row)(async (input, caller, ports, refuse) => {
  const { database } = ports;
  const { clientId, userId: personId } = requireServer(caller);
  const owner = { clientId, userId: input.customerId.toLowerCase() };
  const { email } = await getKnownCustomer(database, owner);
  if (!isEmail(email)) {
    return refuse('invalid_request', { message: 'The customer has no address that mail reaches.' });
  }
  const wait = await takeMail(database, [
    [wishKey('page-link', 'by', clientId, personId), mostFromNetwork],
    [addressKey('page-link', clientId, email), mostToOne],
  ]);
  if (wait !== null) return refuse('rate_limited', { retryAfter: wait });
  const client = await findClient(database, clientId);
  if (!client) throw new Error('the caller has a merchant');
  const locale = await findUserLocale(database, clientId, owner.userId);
  await database.transaction(clientId, async (tx) => {
    const locked = await lockKnownCustomer(tx, owner);
    const customers = [{ userId: owner.userId, productNames: [] }];
    const wish = { caller, client, to: locked.email, customers, locale };
    if (!(await mailPageLinks(tx, wish, ports))) return refuse('customer_forgotten');
  });
  return { status: 202 };
});
