import { readClock } from '../../service/src/storage/database/clock.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { insertMethodUse } from '../../service/src/storage/payment-methods/payment-method-uses.ts';
import { lockMethod } from '../../service/src/storage/payment-methods/payment-methods.ts';
import { newId } from '../../service/test/harness.ts';
import type { Stage } from './stage.ts';

const insertPayment = sql(
  'proof_detachment_payment',
  `insert into payments (id, client_id, gateway_id, provider, type, amount_minor, currency,
     capture_method, status, is_live, created_at, updated_at)
   values ($1, $2, $3, 'cardprovider', 'purchase', 1990, 'EUR', 'automatic', $4, false,
     svc_clock(), svc_clock())`,
);
const endUsing = sql(
  'proof_detachment_end_use',
  `with failed as (
     update payments set status = 'failed', event_seq = event_seq + 1, updated_at = svc_clock()
     where id = $1 returning id, client_id, event_seq)
   insert into events (id, client_id, type, resource_type, resource_id, sequence, payload, created_at)
   select $2, client_id, 'payment.failed', 'payment', id, event_seq, '{}', svc_clock() from failed`,
);

/** Inserts a running payment with the card and returns its id. */
export async function blockByPayment({ lane, target, random, count }: Stage): Promise<string> {
  const { clientId, db } = lane;
  const { id: paymentMethodId, gatewayId } = target.method;
  const paymentId = newId();
  const status = random.pick(['pending', 'processing', 'unknown']);
  count(`a payment is ${status}`);
  await db.database.transaction(clientId, async (tx) => {
    await lockMethod(tx, clientId, paymentMethodId);
    await tx.query(insertPayment, [paymentId, clientId, gatewayId, status]);
    const use = { paymentId, clientId, paymentMethodId, purpose: 'charge', subscriptionId: null };
    await insertMethodUse(tx, use as never, await readClock(tx));
  });
  return paymentId;
}

/** Ends the payment. */
export const endPayment = ({ lane }: Stage, paymentId: string) =>
  lane.db.database.write(endUsing, [paymentId, newId()]);
