import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { forgetCustomer as forget } from '../../engine/runs/customers/forget-customer.ts';
import { requestOf } from '../../engine/runs/payment-methods/remove-payment-method.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { showCustomer } from '../../engine/steps/customers/show-customer.ts';

/**
 * Forgets a customer for good. Repeatable: once more, it erases what people have written down since. Additions §5.
 * Refuses, in order: merchant_role_required, customer_not_found, customer_in_use, and what a detachment of a saved card
 * refuses.
 */
export const forgetCustomer = implement(rows.forgetCustomer)(async (input, caller, ports) => {
  const { clientId, requestId } = requireServer(caller, rows.forgetCustomer);
  const userId = input.customerId.toLowerCase();
  const { customer, others } = await forget(
    {
      clientId,
      userId,
      request: requestOf(requestId),
      caller,
      record: (tx, blanked) =>
        recordChange(
          tx,
          caller,
          {
            action: 'customer.forgotten',
            resourceType: 'customer',
            resourceId: userId,
            after: blanked,
          },
          ports,
        ),
    },
    ports,
  );
  return { status: 200, body: { ...showCustomer(customer), othersOfAddress: [...others] } };
});
