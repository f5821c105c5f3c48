// The refund rule: how much a person may refund without approval. Additions §2, Refund rule.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { component, currency, input, instant, nullable, oneOf } from '../rows/schema.ts';

const boundField = (description: string) =>
  Type.Number({ minimum: 0, maximum: 1e12, description: `${description} 0: none at all.` });

const bounds = {
  perRefund: boundField('Major units that one refund may give back.'),
  perDay: boundField('Major units that one person may give back within 24 hours.'),
};

const RefundLimit = Type.Object({ currency: currency(), ...bounds });
const OtherLimit = nullable(
  Type.Object(bounds, {
    description:
      'The limits for each currency that `limits` does not name. Null: every refund in such a currency needs approval.',
  }),
);

export const RefundRule = component('RefundRule', {
  object: oneOf(['refund_rule']),
  limits: Type.Array(RefundLimit, {
    description: 'Limits by currency; amounts in different currencies are never added.',
  }),
  otherCurrencies: OtherLimit,
  financeApproves: Type.Boolean({
    description: 'Whether finance may approve refunds; owners and admins always may.',
  }),
  updatedAt: nullable(instant('When the rule was set; null: the defaults apply.')),
  isBounded: Type.Boolean({ description: 'Whether the rule limits the calling person.' }),
  used: Type.Array(Type.Object({ currency: currency(), amount: Type.Number() }), {
    description: 'What the calling person has refunded without approval within 24 hours.',
  }),
  approvers: Type.Array(Type.String(), {
    description:
      'Names, else addresses, of other people who may approve. Empty: nobody can be asked, and approval is off.',
  }),
});
export type RefundRule = Static<typeof RefundRule>;

export const getRefundRule = row({
  spec: 'Additions §2, GET /v1/refund-rule',
  summary: 'Reads how much a person may refund alone, and who may approve more.',
  call: 'GET /v1/refund-rule',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  input: {},
  answers: { 200: RefundRule },
  refuses: ['insufficient_scope'],
  emits: [],
});

export const updateRefundRule = row({
  spec: 'Additions §2, PUT /v1/refund-rule',
  summary: 'Sets how much a person may refund alone; replaces the former rule.',
  call: 'PUT /v1/refund-rule',
  auth: 'server',
  scope: 'members:write',
  permission: 'settings.write',
  limit: 'client',
  asksRecentSignIn: true,
  input: {
    body: input({
      limits: Type.Array(
        Type.Object({ currency: currency(), ...bounds }, { additionalProperties: false }),
        { maxItems: 50 },
      ),
      otherCurrencies: nullable(Type.Object(bounds, { additionalProperties: false })),
      financeApproves: Type.Boolean(),
    }),
  },
  answers: { 200: RefundRule },
  refuses: ['invalid_request', 'amount_precision', 'insufficient_scope'],
  emits: [],
});
