// The change to another address, which counts once its reader has confirmed it: asked for by the customer, or by the
// merchant for the customer.

import { hash } from 'node:crypto';
import { addressFragment } from '@svc/contract/customers/address-links';
import type { Customer } from '../../../domain/people/customer.ts';
import { addressLinkLifeMs, customerPageAt } from '../../../domain/people/customer-page.ts';
import type { Client } from '../../../storage/clients/clients.ts';
import {
  dropWaitingAddress,
  insertAddress,
} from '../../../storage/customers/customer-addresses.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { confirmAddressWords } from '../buyer-mails/buyer-words.ts';
import { queueMailToBuyer } from '../mails/queue-mail.ts';

type Wish = {
  readonly caller: Caller;
  readonly client: Client;
  /** Locked. */
  readonly customer: Customer;
  /** The new address. */
  readonly email: string;
  readonly locale: string;
};

/** Mails a confirmation link to the new address, which replaces an earlier unconfirmed one. */
export async function askAddress(tx: Tx, wish: Wish, ports: Ports): Promise<void> {
  const { caller, client, customer, email, locale } = wish;
  const { checkoutUrl, mode } = ports.settings;
  const { clientId, id: userId } = customer;
  const secret = ports.randomBytes(32).toString('base64url');
  const link = `${customerPageAt({ checkoutUrl, clientId })}#${addressFragment(secret)}`;
  const words = confirmAddressWords({ client, mode, locale }, link);
  await dropWaitingAddress(tx, { clientId, userId });
  const mail = { ...words, to: email, kind: 'buyer_confirm_address' };
  const mailId = await queueMailToBuyer(tx, client, mail, ports);
  const id = ports.newId();
  const secretSha256 = hash('sha256', secret, 'buffer');
  const asked = { id, clientId, userId, email, formerEmail: customer.email, secretSha256 };
  await insertAddress(tx, { ...asked, mailId, lifeMs: addressLinkLifeMs });
  const resource = { resourceType: 'customer', resourceId: userId };
  const change = { action: 'customer_page.address_asked', ...resource };
  await recordChange(tx, caller, { ...change, after: { addressId: id } }, ports);
}

/** Drops the address that waits to be confirmed, if there is one; its link is over. The customer is locked. */
export async function cancelAddress(
  tx: Tx,
  { caller, customer }: Pick<Wish, 'caller' | 'customer'>,
  ports: Ports,
): Promise<void> {
  const { clientId, id: userId } = customer;
  const addressId = await dropWaitingAddress(tx, { clientId, userId });
  if (!addressId) return;
  const resource = { resourceType: 'customer', resourceId: userId };
  const change = { action: 'customer_page.address_canceled', ...resource, after: { addressId } };
  await recordChange(tx, caller, change, ports);
}
