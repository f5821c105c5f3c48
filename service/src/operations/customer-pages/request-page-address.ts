import { hash } from 'node:crypto';
import { addressFragment } from '@svc/contract/customers/address-links';
import { requestCustomerPageAddress as row } from '@svc/contract/customers/customer-page-details';
import { addressLinkLifeMs, customerPageAt } from '../../domain/people/customer-page.ts';
import { implement } from '../../engine/implement.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { confirmAddressWords } from '../../engine/steps/buyer-mails/buyer-words.ts';
import { lockPageCustomer } from '../../engine/steps/customer-pages/lock-page-customer.ts';
import {
  addressKey,
  mostFromNetwork,
  mostToOne,
  networkKey,
  wishKey,
} from '../../engine/steps/customer-pages/page-mail-limits.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';
import { queueMailToBuyer } from '../../engine/steps/mails/queue-mail.ts';
import { findClient } from '../../storage/clients/clients.ts';
import { dropWaitingAddress, insertAddress } from '../../storage/customers/customer-addresses.ts';
import { findUserLocale } from '../../storage/payments/buyer-locales.ts';
import { takeAuthAttempt } from '../../storage/people/auth-attempt-limits.ts';

/**
 * Mails a confirmation link to the new address, which replaces an earlier unconfirmed one. Looks at no other customer,
 * and mails the customer's present address like any other: so the answer never reveals whose address it is. Refuses
 * rate_limited.
 */
export const requestCustomerPageAddress = implement(row)(
  async ({ body }, caller, ports, refuse) => {
    const { database, settings } = ports;
    const page = requireCustomer(caller);
    const { clientId, userId } = page;
    const { email } = body;
    for (const [key, limit] of [
      [networkKey('page-address', caller), mostFromNetwork],
      [wishKey('page-address', 'of', clientId, userId), mostToOne],
      // Many customers could ask for mails to one stranger.
      [addressKey('page-address', clientId, email), mostToOne],
    ] as const) {
      const wait = await takeAuthAttempt(database, key, limit);
      if (wait !== null) return refuse('rate_limited', { retryAfter: wait });
    }
    const client = await findClient(database, clientId);
    if (!client) throw new Error('the page has a merchant');
    const locale = await findUserLocale(database, clientId, userId);
    const secret = ports.randomBytes(32).toString('base64url');
    const pageUrl = customerPageAt({ checkoutUrl: settings.checkoutUrl, clientId });
    const link = `${pageUrl}#${addressFragment(secret)}`;
    const words = confirmAddressWords({ client, mode: settings.mode, locale }, link);
    await database.transaction(clientId, async (tx) => {
      const customer = await lockPageCustomer(tx, page);
      await dropWaitingAddress(tx, page);
      const mail = { ...words, to: email, kind: 'buyer_confirm_address' };
      const mailId = await queueMailToBuyer(tx, client, mail, ports);
      const id = ports.newId();
      const secretSha256 = hash('sha256', secret, 'buffer');
      const asked = { id, clientId, userId, email, formerEmail: customer.email, secretSha256 };
      await insertAddress(tx, { ...asked, mailId, lifeMs: addressLinkLifeMs });
      const resource = { resourceType: 'customer', resourceId: userId };
      const change = { action: 'customer_page.address_asked', ...resource };
      await recordChange(tx, caller, { ...change, after: { addressId: id } }, ports);
    });
    return { status: 202 };
  },
);
