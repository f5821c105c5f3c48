import type { Customer } from '../../../domain/people/customer.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';

/**
 * Records a change to a customer in the audit log: the names of the fields, and for the default
 * also the method's id. The values of other fields are personal data that may have to be erased, so
 * the log leaves them out.
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
