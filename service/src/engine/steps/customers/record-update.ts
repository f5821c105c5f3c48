import type { Customer } from '../../../domain/people/customer.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';

/**
 * Writes a customer's change into the audit log: which fields, and of the default which method. What
 * stands in the others is personal, and the log keeps it out: it may have to be forgotten.
 */
export function recordUpdate(
  tx: Tx,
  done: {
    readonly caller: Caller;
    readonly customer: Customer;
    readonly fields: readonly string[];
  },
  ports: Pick<Ports, 'newId'>,
): Promise<void> {
  const { caller, customer, fields } = done;
  const { defaultPaymentMethodId } = customer;
  const isDefault = fields.includes('defaultPaymentMethodId');
  const change = {
    action: 'customer.updated',
    resourceType: 'customer',
    resourceId: customer.id,
    clientId: customer.clientId,
    after: { fields, ...(isDefault ? { defaultPaymentMethodId } : {}) },
  };
  return recordChange(tx, caller, change, ports);
}
