import { requestCustomerAddress as row } from '@svc/contract/customers/customers';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { askAddress } from '../../engine/steps/customer-pages/ask-address.ts';
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
 * Mails a confirmation link to a corrected address, as the customer's page does. Support may have been deceived about who
 * asks: so the address counts, and the former one is told, only once its reader has confirmed it, and the link opens no
 * page. Refuses, in order: customer_not_found, customer_forgotten, rate_limited.
 */
export const requestCustomerAddress = implement(row)(async (input, caller, ports, refuse) => {
  const { database } = ports;
  const { clientId, userId: personId } = requireServer(caller);
  const { email } = input.body;
  const owner = { clientId, userId: input.customerId.toLowerCase() };
  await getKnownCustomer(database, owner);
  const wait = await takeMail(database, [
    [wishKey('page-address', 'by', clientId, personId), mostFromNetwork],
    [wishKey('page-address', 'of', clientId, owner.userId), mostToOne],
    [addressKey('page-address', clientId, email), mostToOne],
  ]);
  if (wait !== null) return refuse('rate_limited', { retryAfter: wait });
  const client = await findClient(database, clientId);
  if (!client) throw new Error('the caller has a merchant');
  const locale = await findUserLocale(database, clientId, owner.userId);
  await database.transaction(clientId, async (tx) => {
    const locked = await lockKnownCustomer(tx, owner);
    await askAddress(tx, { caller, client, customer: locked, email, locale }, ports);
  });
  return { status: 202 };
});
