import { requestCustomerPageLink as row } from '@svc/contract/customers/customer-page';
import { isEmail } from '@svc/contract/rows/schema';
import { implement } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { mailPageLinks } from '../../engine/steps/customer-pages/mail-page-links.ts';
import {
  addressKey,
  mostFromNetwork,
  mostToOne,
  networkKey,
} from '../../engine/steps/customer-pages/page-mail-limits.ts';
import { type Client, findClient } from '../../storage/clients/clients.ts';
import {
  type CustomerOfAddress,
  listCustomersOfAddress,
} from '../../storage/customers/customer-pages.ts';
import { findUserLocale } from '../../storage/payments/buyer-locales.ts';
import { takeAuthAttempt } from '../../storage/people/auth-attempt-limits.ts';

/** Longer than the work for a known address takes: the time of the answer reveals nothing. */
const answerMs = 250;

/**
 * Mails an address the links to the pages of its customers, among them guests of one purchase. The answer reveals
 * nothing of the address, nor that it was mailed often enough. Refuses rate_limited, for a network alone.
 */
export const requestCustomerPageLink = implement(row)(async ({ body }, caller, ports, refuse) => {
  const fromNetwork = networkKey('page-link', caller);
  const wait = await takeAuthAttempt(ports.database, fromNetwork, mostFromNetwork);
  if (wait !== null) return refuse('rate_limited', { retryAfter: wait });
  const [outcome] = await Promise.allSettled([
    mailLinks({ clientId: body.clientId.toLowerCase(), email: body.email }, caller, ports),
    new Promise<void>((resolve) => void setTimeout(resolve, answerMs)),
  ]);
  if (outcome.status === 'rejected') throw outcome.reason;
  return { status: 202 };
});

type Wish = { readonly clientId: string; readonly email: string };

async function mailLinks({ clientId, email }: Wish, caller: Caller, ports: Ports): Promise<void> {
  const { database } = ports;
  const key = addressKey('page-link', clientId, email);
  if ((await takeAuthAttempt(database, key, mostToOne)) !== null) return;
  const client = await findClient(database, clientId);
  const customers = client ? await listCustomersOfAddress(database, clientId, email) : [];
  if (client && customers.length > 0) await mailPages({ client, customers }, caller, ports);
}

type Found = { readonly client: Client; readonly customers: readonly CustomerOfAddress[] };

async function mailPages({ client, customers }: Found, caller: Caller, ports: Ports) {
  const { database } = ports;
  const { id: clientId } = client;
  const [first] = customers;
  if (!first || !isEmail(first.email)) return;
  const locale = await findUserLocale(database, clientId, first.userId);
  await database.transaction(clientId, async (tx) => {
    await mailPageLinks(tx, { caller, client, to: first.email, customers, locale }, ports);
  });
}
