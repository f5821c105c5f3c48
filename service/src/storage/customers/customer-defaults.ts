// What a set-up needs to know about its customer, and the method that is charged when the call names none.

import type { PaymentMethod } from '../../domain/payments/payment-method.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type CustomerFacts = {
  readonly email: string;
  readonly country: string | null;
  readonly externalId: string | null;
  readonly isForgotten: boolean;
};

const find = sql<CustomerFacts>(
  'customers.find_facts',
  `select email, country, external_id as "externalId", forgotten_at is not null as "isForgotten"
   from customers where client_id = $1 and id = $2`,
);

/** Returns undefined for an unknown customer and for another client's. */
export async function findCustomerFacts(
  database: Database,
  clientId: string,
  userId: string,
): Promise<CustomerFacts | undefined> {
  const [row] = await database.read(find, [clientId, userId]);
  return row;
}

const setFirst = sql(
  'customers.set_first_default',
  `update customers set default_payment_method_id = $3, version = version + 1, updated_at = $4
   where client_id = $1 and id = $2 and default_payment_method_id is null`,
);

/** Makes an active method its customer's default when the customer has none. */
export async function setFirstDefault(
  tx: Tx,
  { clientId, userId, id }: Pick<PaymentMethod, 'clientId' | 'userId' | 'id'>,
  now: Date,
): Promise<void> {
  await tx.query(setFirst, [clientId, userId, id, now]);
}
