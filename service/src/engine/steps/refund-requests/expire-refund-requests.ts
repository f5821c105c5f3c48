// Marks a refund request as expired and appends its event. Additions §2, Refund requests.

import { readClock } from '../../../storage/database/clock.ts';
import { lockPayment } from '../../../storage/payments/payments.ts';
import {
  expireRefundRequest,
  listDueRequests,
} from '../../../storage/refund-requests/refund-requests.ts';
import type { Ports } from '../../ports.ts';
import { appendRequestEvent } from './append-request-event.ts';

type Pass = {
  readonly limit: number;
  readonly onError: (clientId: string, error: unknown) => void;
};

/** Makes one pass; returns how many requests it wrote. Any number of processes may run it. */
export async function expireRefundRequests(
  ports: Ports,
  { limit, onError }: Pass,
): Promise<number> {
  let expired = 0;
  for (const due of await listDueRequests(ports.database, limit)) {
    const { id, client_id: clientId, payment_id: paymentId } = due;
    try {
      const isWritten = await ports.database.transaction(clientId, async (tx) => {
        // Takes the payment's lock first: erasing the customer takes it as well, and blanks the
        // event.
        await lockPayment(tx, clientId, paymentId);
        const row = await expireRefundRequest(tx, clientId, id);
        if (row)
          await appendRequestEvent(tx, row, { request: null, now: await readClock(tx), ports });
        return row !== undefined;
      });
      if (isWritten) expired += 1;
    } catch (error) {
      onError(clientId, error);
    }
  }
  if (expired > 0) ports.nudge('deliver-webhooks');
  return expired;
}
