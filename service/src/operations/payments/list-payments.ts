// The list has two kinds of caller: the merchant sees everything, a browser only the ids of its own
// session's payments. Spec: Payments, GET /v1/payments. Contract §2, Lists and their
// authentication.

import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { refuseNameFilter, requireServer } from '../../engine/require-server.ts';
import { expandFilters } from '../../engine/steps/payments/expand-filters.ts';
import { showListedPayment } from '../../engine/steps/payments/show-listed-payment.ts';
import {
  findSessionOfNonce,
  limitToSession,
  listPaymentIds,
  listPaymentRows,
} from '../../storage/payments/payment-lists.ts';

/** The filters that a page may use on its own payments: none that reveals the merchant's own data. */
const openToBrowsers: ReadonlySet<string> = new Set([
  ...['id', 'email', 'userId', 'externalId', 'sessionId', 'status', 'type', 'currency'],
  ...['captureMethod', 'provider', 'gatewayChargeId', 'parentPaymentId', 'amount'],
  ...['createdAt', 'updatedAt'],
]);

/**
 * Lists payments. With a nonce it lists those of that session and of its claimed email; another
 * email gives an empty page, so that a browser cannot find out who else has paid. Refuses
 * checkout_session_not_found for an unknown nonce and for another session's id, insufficient_scope for a filter by
 * name without customers:read.
 */
export const listPayments = implement(rows.listPayments)(async (input, caller, ports, refuse) => {
  const { database } = ports;
  if (caller.kind !== 'session') {
    const server = requireServer(caller);
    const query = { ...input, filters: expandFilters(input) };
    refuseNameFilter(query.filters, server);
    const { rows: found, ...page } = await listPaymentRows(database, server.clientId, query);
    const data = found.map((row) => showListedPayment(row, server));
    return { status: 200, body: { data, ...page } };
  }

  const own = input.filters.find(({ field }) => !openToBrowsers.has(field));
  if (own) {
    return refuse('invalid_query', {
      param: own.field,
      message: `There is no filter ${own.field} for a checkout session's page.`,
    });
  }
  const session = await findSessionOfNonce(database, caller.nonceSha256);
  const isOther = input.sessionId !== undefined && input.sessionId.toLowerCase() !== session?.id;
  if (!session || isOther) return refuse('checkout_session_not_found');
  const email = claimedEmail(session.email, input.email);
  const query = { ...input, within: [limitToSession({ id: session.id, email })] };
  const { rows: found, ...page } = await listPaymentIds(database, session.client_id, query);
  return { status: 200, body: { data: found.map(({ id }) => ({ id })), ...page } };
});

/** Returns the claimed email, or null, which no payment matches, when another email is asked for. */
const claimedEmail = (claimed: string | null, asked: string | undefined): string | null =>
  asked === undefined || asked.toLowerCase() === claimed?.toLowerCase() ? claimed : null;
