// How payments use saved methods, written with the payment: the claim that a detachment has to wait for.

import type { Tx } from '../database/database.ts';
import { recoverableSql } from '../database/open-states.ts';
import { sql } from '../database/sql.ts';

export type MethodUse = {
  readonly paymentId: string;
  readonly clientId: string;
  readonly paymentMethodId: string;
  /**
   * `charge` pays with a saved method, `save` saves the method it pays with, `renewal` pays a
   * subscription's period.
   */
  readonly purpose: 'charge' | 'save' | 'renewal';
  readonly subscriptionId: string | null;
};

const insert = sql(
  'payment_method_uses.insert',
  `insert into payment_method_uses
     (payment_id, client_id, payment_method_id, purpose, subscription_id, claimed_at)
   values ($1, $2, $3, $4, $5, $6)`,
);

/** The caller holds the method's lock, and no detachment has claimed the method. */
export async function insertMethodUse(tx: Tx, use: MethodUse, now: Date): Promise<void> {
  const { paymentId, clientId, paymentMethodId, purpose, subscriptionId } = use;
  await tx.query(insert, [paymentId, clientId, paymentMethodId, purpose, subscriptionId, now]);
}

const find = sql<{
  payment_method_id: string;
  purpose: MethodUse['purpose'];
  subscription_id: string | null;
}>(
  'payment_method_uses.find',
  `select payment_method_id, purpose, subscription_id from payment_method_uses
   where client_id = $1 and payment_id = $2`,
);

/** Returns undefined for a payment that neither uses nor saves a method. */
export async function findMethodUse(
  tx: Tx,
  clientId: string,
  paymentId: string,
): Promise<MethodUse | undefined> {
  const [row] = await tx.query(find, [clientId, paymentId]);
  return (
    row && {
      paymentId,
      clientId,
      paymentMethodId: row.payment_method_id,
      purpose: row.purpose,
      subscriptionId: row.subscription_id,
    }
  );
}

const isLive = sql<{ exists: boolean }>(
  'payment_method_uses.is_live',
  `select exists (
     select from payment_method_uses u join payments p on p.id = u.payment_id
     where u.client_id = $1 and u.payment_method_id = $2 and p.client_id = $1
       and p.status in ('pending', 'processing', 'unknown'))
     or exists (
     select from card_setups s where s.client_id = $1 and s.payment_method_id = $2
       and ${recoverableSql('s')}) as exists`,
);

/**
 * Returns whether a payment or set-up with the method has not ended: pending, processing, in doubt,
 * or waiting for its buyer. The caller holds the method's lock. Spec:
 * payment_method_has_active_payment.
 */
export async function hasLiveUse(
  tx: Tx,
  { clientId, id }: { readonly clientId: string; readonly id: string },
): Promise<boolean> {
  const [row] = await tx.query(isLive, [clientId, id]);
  return row?.exists === true;
}
