import { rows } from '@svc/contract';
import type { Customer } from '../../domain/people/customer.ts';
import { isSameEmail } from '../../domain/people/email.ts';
import { implement } from '../../engine/implement.ts';
import { refuseField } from '../../engine/refuse-field.ts';
import { requireServer } from '../../engine/require-server.ts';
import { changeDefaultMethod } from '../../engine/steps/customers/change-default-method.ts';
import { lockKnownCustomer } from '../../engine/steps/customers/lock-known-customer.ts';
import { recordUpdate } from '../../engine/steps/customers/record-update.ts';
import { showCustomer } from '../../engine/steps/customers/show-customer.ts';
import { findCustomer, updateCustomer as saveCustomer } from '../../storage/customers/customers.ts';
import type { Tx } from '../../storage/database/database.ts';

/**
 * Changes the fields that are given; `metadata` is replaced as a whole. A new default is set at the
 * provider first. Contract §5. Refuses, in order: invalid_request, customer_not_found,
 * customer_forgotten, payment_method_not_found, gateway_unavailable, gateway_outcome_unknown.
 */
export const updateCustomer = implement(rows.updateCustomer)(
  async (input, caller, ports, refuse) => {
    const { clientId, via } = requireServer(caller);
    const { defaultPaymentMethodId: methodId, ...fields } = input.body;
    const apply = (customer: Customer): Customer => ({
      ...customer,
      // Another one may have been confirmed since the browser's was looked at.
      email: via === 'person' ? customer.email : (fields.email ?? customer.email),
      name: fields.name === undefined ? customer.name : fields.name,
      country: fields.country === undefined ? customer.country : fields.country,
      language: fields.language === undefined ? customer.language : fields.language,
      metadata: fields.metadata ?? customer.metadata,
    });
    if (via === 'person' && fields.email !== undefined) {
      const known = await findCustomer(ports.database, clientId, input.customerId);
      if (known && !isSameEmail(known.email, fields.email)) refuseAnotherAddress();
    }
    const changed = Object.keys(input.body) as (keyof typeof input.body)[];
    if (methodId !== undefined) {
      const record = (tx: Tx, customer: Customer) =>
        recordUpdate(tx, { caller, customer, fields: changed }, ports);
      const wanted = { clientId, userId: input.customerId, methodId, apply, record };
      const outcome = await changeDefaultMethod(wanted, ports);
      if (outcome.kind === 'refused') return refuse(outcome.code, outcome.facts);
      return { status: 200, body: showCustomer(outcome.customer) };
    }
    return ports.database.transaction(clientId, async (tx) => {
      const customer = await lockKnownCustomer(tx, { clientId, userId: input.customerId });
      if (Object.keys(fields).length === 0) return { status: 200, body: showCustomer(customer) };
      const saved = await saveCustomer(tx, apply(customer));
      await recordUpdate(tx, { caller, customer: saved, fields: changed }, ports);
      return { status: 200, body: showCustomer(saved) };
    });
  },
);

/** Somebody at the merchant may have been deceived about who asks for the change. */
const refuseAnotherAddress = () =>
  refuseField(
    'email',
    'In a browser another address is asked for by POST /v1/customers/{customerId}/address; it counts once its reader has confirmed it.',
  );
