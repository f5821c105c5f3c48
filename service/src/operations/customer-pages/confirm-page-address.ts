import { hash } from 'node:crypto';
import { confirmCustomerPageAddress as row } from '@svc/contract/customers/customer-page-details';
import { isEmail } from '@svc/contract/rows/schema';
import { maskEmail } from '../../domain/people/customer-page.ts';
import { isSameEmail } from '../../domain/people/email.ts';
import { implement } from '../../engine/implement.ts';
import { addressChangedWords } from '../../engine/steps/buyer-mails/buyer-words.ts';
import { showMerchant } from '../../engine/steps/clients/show-client.ts';
import { recordUpdate } from '../../engine/steps/customers/record-update.ts';
import { queueMailToBuyer } from '../../engine/steps/mails/queue-mail.ts';
import { findClient } from '../../storage/clients/clients.ts';
import {
  confirmAddress,
  findAddressOwner,
  isAddressConfirmed,
} from '../../storage/customers/customer-addresses.ts';
import { findCustomer, lockCustomer, updateCustomer } from '../../storage/customers/customers.ts';
import { findUserLocale } from '../../storage/payments/buyer-locales.ts';

/**
 * Makes the address that the link was mailed to the customer's, once, and tells the former one. It needs no open page;
 * a repeat answers the same for as long as the customer has the address. Refuses customer_page_address_over.
 */
export const confirmCustomerPageAddress = implement(row)(
  async ({ body }, caller, ports, refuse) => {
    const { database, settings } = ports;
    const secretSha256 = hash('sha256', body.link, 'buffer');
    const owner = await findAddressOwner(database, secretSha256);
    const client = owner && (await findClient(database, owner.clientId));
    if (!owner || !client) return refuse('customer_page_address_over');
    const { clientId, userId } = owner;
    const locale = await findUserLocale(database, clientId, userId);
    const email = await database.transaction(clientId, async (tx) => {
      await lockCustomer(tx, clientId, userId);
      const customer = await findCustomer(tx, clientId, userId);
      if (!customer || customer.forgottenAt) return refuse('customer_page_address_over');
      const confirmed = await confirmAddress(tx, clientId, secretSha256);
      if (!confirmed) {
        const isDone = await isAddressConfirmed(tx, clientId, secretSha256);
        return isDone ? customer.email : refuse('customer_page_address_over');
      }
      const changed = await updateCustomer(tx, { ...customer, email: confirmed });
      await recordUpdate(tx, { caller, customer: changed, fields: ['email'] }, ports);
      if (isEmail(customer.email) && !isSameEmail(customer.email, changed.email)) {
        const letter = { client, mode: settings.mode, locale };
        const words = addressChangedWords(letter, maskEmail(changed.email));
        const mail = { ...words, to: customer.email, kind: 'buyer_address_changed' };
        await queueMailToBuyer(tx, client, mail, ports);
      }
      return changed.email;
    });
    const { name: merchantName } = showMerchant(client);
    return { status: 200, body: { email: maskEmail(email), merchantName } };
  },
);
