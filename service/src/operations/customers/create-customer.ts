import { rows } from '@svc/contract';
import type { BuyerId } from '../../domain/people/buyer-id.ts';
import { isSameEmail } from '../../domain/people/email.ts';
import { createsOnce } from '../../engine/create-once.ts';
import { implement } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { readBuyer } from '../../engine/steps/customers/read-buyer.ts';
import { showCustomer } from '../../engine/steps/customers/show-customer.ts';
import {
  type CustomerFields,
  findCustomer,
  insertCustomer,
} from '../../storage/customers/customers.ts';

/**
 * Creates a customer. Of two concurrent calls with one id the first wins; with the same fields the
 * other gets the same answer. Contract §5. Refuses, in order: invalid_request, customer_forgotten,
 * customer_exists.
 */
export const createCustomer = implement(rows.createCustomer)(
  createsOnce(async (input, caller, ports, refuse) => {
    const { clientId } = requireServer(caller);
    const { email, name = null, country = null, language = null, metadata = {} } = input.body;
    const { userId: id, externalId } = idOf(input.body, clientId, ports);
    const fields: CustomerFields = { email, name, country, language, metadata };
    const added = await ports.database.transaction(clientId, async (tx) => {
      const inserted = await insertCustomer(tx, { clientId, id, externalId }, fields);
      // The audit log names only the fields: their values are personal data that may have to be erased.
      const after = { fields: Object.keys(input.body).filter((name) => !isId.has(name)) };
      const change = { action: 'customer.created', resourceType: 'customer', after };
      if (inserted) await recordChange(tx, caller, { ...change, resourceId: inserted.id }, ports);
      return inserted;
    });
    if (added) return { status: 201, body: showCustomer(added) };
    const there = await findCustomer(ports.database, clientId, id);
    if (there?.forgottenAt) return refuse('customer_forgotten', { param: 'id' });
    const isKnown = there?.externalId === externalId;
    if (!there || !isKnown || !isSameCustomer(there, fields))
      return refuse('customer_exists', { param: 'id' });
    return { status: 201, body: showCustomer(there) };
  }),
);

const isId: ReadonlySet<string> = new Set(['id', 'externalId']);

/** The id that is sent, in either field or both; a new id where none is sent. */
function idOf(
  { id, externalId }: { readonly id?: string; readonly externalId?: string | null },
  clientId: string,
  ports: Ports,
): BuyerId {
  const named = id ?? externalId ?? undefined;
  if (named === undefined) return { userId: ports.newId(), externalId: null };
  return readBuyer(clientId, { userId: named, externalId }, 'externalId');
}

const isSameCustomer = (there: CustomerFields, sent: CustomerFields): boolean =>
  isSameEmail(there.email, sent.email) &&
  there.name === sent.name &&
  there.country === sent.country &&
  there.language === sent.language &&
  sorted(there) === sorted(sent);

const sorted = ({ metadata }: CustomerFields): string =>
  JSON.stringify(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)));
