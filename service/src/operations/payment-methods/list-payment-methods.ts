import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showPaymentMethod } from '../../engine/steps/payment-methods/show-payment-method.ts';
import { listMethodRows, notRemoved } from '../../storage/payment-methods/payment-method-lists.ts';
import { toMethod } from '../../storage/payment-methods/payment-methods.ts';

/**
 * Lists the saved payment methods of the merchant's customers, pending ones included; `userUuid=` is
 * short for `[eq]`. Spec: Saved payment methods, GET. Contract §2, Lists.
 */
export const listPaymentMethods = implement(rows.listPaymentMethods)(
  async (input, caller, ports) => {
    const { clientId } = requireServer(caller);
    const { userUuid } = input;
    const own =
      userUuid === undefined
        ? []
        : [{ field: 'userUuid', op: 'eq', values: [userUuid.toLowerCase()] } as const];
    const query = { ...input, filters: [...input.filters, ...own], within: [notRemoved] };
    const { rows: found, ...page } = await listMethodRows(ports.database, clientId, query);
    const data = found.map((row) => showPaymentMethod(toMethod(row)));
    return { status: 200, body: { data, ...page } };
  },
);
