import type { CustomerPageDetails } from '@svc/contract/customers/customer-page-details';
import type { Customer } from '../../../domain/people/customer.ts';
import { maskEmail } from '../../../domain/people/customer-page.ts';
import { findWaitingAddress } from '../../../storage/customers/customer-addresses.ts';
import type { Database, Tx } from '../../../storage/database/database.ts';

/** The customer as the customer's page shows it: addresses are masked, because a link may have been forwarded. */
export async function showPageDetails(
  via: Tx | Database,
  { clientId, id, name, email, language }: Customer,
): Promise<CustomerPageDetails> {
  const waiting = await findWaitingAddress(via, { clientId, userId: id });
  const pendingEmail = waiting
    ? { email: maskEmail(waiting.email), expiresAt: waiting.expiresAt.toISOString() }
    : null;
  return { name, email: maskEmail(email), language, pendingEmail };
}
