// Two callers: the merchant sees everything, a browser the ids of its own session's payments.
// Spec: Payments, GET /v1/payments. Contract §2, Lists and their authentication.

import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showPayment } from '../../engine/steps/payments/show-payment.ts';
import { writtenOut } from '../../engine/steps/payments/written-out.ts';
import {
  findSessionOfNonce,
  listPaymentIds,
  listPaymentRows,
  ofSession,
} from '../../storage/payments/payment-lists.ts';
import { toPayment } from '../../storage/payments/payments.ts';

/** What a page may ask of its own payments: nothing that tells of the merchant's own notes. */
const openToBrowsers: ReadonlySet<string> = new Set([
  ...['id', 'email', 'userId', 'externalId', 'sessionId', 'status', 'type', 'currency'],
  ...['captureMethod', 'provider', 'gatewayChargeId', 'parentPaymentId', 'amount'],
  ...['createdAt', 'updatedAt'],
]);

/**
 * Lists payments. With a nonce: those of that very session and of the claimed email; another email
 * gives an empty page, so that a browser cannot ask who else has paid. Refuses
 * checkout_session_not_found for an unknown nonce and for another session's id.
 */
export const listPayments = implement(rows.listPayments)(async (input, caller, ports, refuse) => {
  const { database } = ports;
  if (caller.kind !== 'session') {
    const { clientId } = requireServer(caller);
    const query = { ...input, filters: writtenOut(input) };
    const { rows: found, ...page } = await listPaymentRows(database, clientId, query);
    const data = found.map((row) => showPayment(toPayment(row)));
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
  const query = { ...input, within: [ofSession({ id: session.id, email })] };
  const { rows: found, ...page } = await listPaymentIds(database, session.client_id, query);
  return { status: 200, body: { data: found.map(({ id }) => ({ id })), ...page } };
});

/** Null, which no payment matches, unless the email asked for is the claimed one. */
const claimedEmail = (claimed: string | null, asked: string | undefined): string | null =>
  asked === undefined || asked.toLowerCase() === claimed?.toLowerCase() ? claimed : null;
