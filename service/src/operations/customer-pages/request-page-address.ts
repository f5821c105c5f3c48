import { requestCustomerPageAddress as row } from '@svc/contract/customers/customer-page-details';
import { implement } from '../../engine/implement.ts';
import { askAddress } from '../../engine/steps/customer-pages/ask-address.ts';
import { lockPageCustomer } from '../../engine/steps/customer-pages/lock-page-customer.ts';
import {
  addressKey,
  mostFromNetwork,
  mostToOne,
  networkKey,
  takeMail,
  wishKey,
} from '../../engine/steps/customer-pages/page-mail-limits.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';
import { findClient } from '../../storage/clients/clients.ts';
import { findUserLocale } from '../../storage/payments/buyer-locales.ts';

/**
 * Mails a confirmation link to the new address, which replaces an earlier unconfirmed one. Looks at no other customer,
 * and mails the customer's present address like any other: so the answer never reveals whose address it is. Refuses
 * rate_limited.
 */
export const requestCustomerPageAddress = implement(row)(
  async ({ body: { email } }, caller, ports, refuse) => {
    const { database } = ports;
    const page = requireCustomer(caller);
    const { clientId, userId } = page;
    const wait = await takeMail(database, [
      [networkKey('page-address', caller), mostFromNetwork],
      [wishKey('page-address', 'of', clientId, userId), mostToOne],
      // Many customers could ask for mails to one stranger.
      [addressKey('page-address', clientId, email), mostToOne],
    ]);
    if (wait !== null) return refuse('rate_limited', { retryAfter: wait });
    const client = await findClient(database, clientId);
    if (!client) throw new Error('the page has a merchant');
    const locale = await findUserLocale(database, clientId, userId);
    await database.transaction(clientId, async (tx) => {
      const customer = await lockPageCustomer(tx, page);
      await askAddress(tx, { caller, client, customer, email, locale }, ports);
    });
    return { status: 202 };
  },
);
