import type { CustomerField } from '@svc/contract/events/event-objects';
import type { Customer } from '../../../domain/people/customer.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { appendCustomerEvent } from './append-customer-event.ts';

/**
 * Records a change to a locked customer in the audit log, and appends its event: the names of the fields, and in the
 * log for the default also the method's id. The values of other fields are personal data that may have to be erased,
 * so both leave them out. `customer` is as it was saved.
 */
export async function recordUpdate(
  tx: Tx,
  done: {
    readonly caller: Caller;
    readonly customer: Customer;
    readonly fields: readonly CustomerField[];
  },
  ports: Pick<Ports, 'newId' | 'settings'>,
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
  await recordChange(tx, caller, change, ports);
  const { id, updatedAt } = customer;
  const object = {
    ...({ id, object: 'customer' } as const),
    ...{ fields: [...fields], updatedAt: updatedAt.toISOString() },
  };
  const request = { id: caller.requestId, idempotencyKey: null };
  const event = { type: 'customer.updated', customer, request, data: { object } } as const;
  await appendCustomerEvent(tx, event, ports);
}
