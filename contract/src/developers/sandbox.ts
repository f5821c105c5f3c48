// What a merchant's people do in a sandbox in place of buyers, banks and time: move the clock, plant faults
// of the provider, dispute a payment, let a refund fail. Only in sandbox mode. Additions §13.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { component, input, instant, oneOf, uuid } from '../rows/schema.ts';

/** The faults that can be planted, and what each does to the provider's next call or notice. */
export const sandboxFaults = {
  decline: 'The next call that can be declined is declined, whatever the card is.',
  timeout_after_commit: 'The next call is carried out, and its answer never comes.',
  drop_reply: 'The next call is carried out, and the connection ends in place of an answer.',
  drop_request: 'The next call is not carried out: the connection ends.',
  error_500: 'The next call is answered 500, and so is every repeat of it.',
  error_503_unrecorded: 'The next call is not carried out and answered 503; a repeat works.',
  error_429: 'The next call is not carried out and answered 429; a repeat works.',
  slow: 'The next call is carried out, and answered some seconds late.',
  late_balance: 'The next call is carried out, and its fee is told later.',
  duplicate_webhook: 'The next notice is sent twice.',
  reorder_webhooks: 'The next notice is sent after the one that follows it.',
  drop_webhook: 'The next notice is never sent.',
} as const;
export type SandboxFaultName = keyof typeof sandboxFaults;
const faultNames = Object.keys(sandboxFaults) as SandboxFaultName[];

export const disputeReasons = {
  fraudulent: 'The card holder did not make the payment',
  product_not_received: 'The goods did not arrive',
} as const;

const longestAdvanceSeconds = 366 * 86_400;

export const SandboxFault = component('SandboxFault', {
  id: Type.String(),
  action: Type.String({
    description: 'A fault that can be planted here, or one planted by the sandbox’s own controls.',
  }),
  count: Type.Integer({ description: 'Number of calls or notices that it affects.' }),
  fired: Type.Integer({ description: 'Number that it has affected so far.' }),
});
export type SandboxFault = Static<typeof SandboxFault>;

export const SandboxClockTime = component('SandboxClockTime', {
  now: instant(),
  shiftSeconds: Type.Number({ description: 'How far the clock is ahead of the machine’s.' }),
});
export type SandboxClockTime = Static<typeof SandboxClockTime>;

export const Sandbox = component('Sandbox', {
  now: instant(),
  shiftSeconds: Type.Number({ description: 'How far the clock is ahead of the machine’s.' }),
  cards: Type.Array(
    Type.Object({
      number: Type.String(),
      effect: Type.String({ description: 'What happens to a payment with the card.' }),
    }),
  ),
  faults: Type.Array(SandboxFault, {
    description: 'Planted for the merchant’s own account. A restart of the sandbox forgets them.',
  }),
});
export type Sandbox = Static<typeof Sandbox>;

const refuses = [
  'route_not_found',
  'insufficient_scope',
  'merchant_role_required',
  'gateway_unavailable',
] as const;

export const getSandbox = row({
  spec: 'Additions §13, GET /v1/sandbox',
  summary: 'Reads the sandbox: its clock, test cards and planted faults. Sandbox only.',
  call: 'GET /v1/sandbox',
  auth: 'server',
  scope: 'payments:read',
  permission: 'sandbox.use',
  limit: 'client',
  input: {},
  answers: { 200: Sandbox },
  refuses,
  emits: [],
});

export const advanceSandboxClock = row({
  spec: 'Additions §13, POST /v1/sandbox/clock/advance',
  summary: 'Moves the clock of the whole sandbox forward, the service’s with it. Sandbox only.',
  call: 'POST /v1/sandbox/clock/advance',
  auth: 'server',
  scope: 'checkout:write',
  permission: 'sandbox.use',
  limit: 'client',
  input: {
    body: input({ seconds: Type.Integer({ minimum: 1, maximum: longestAdvanceSeconds }) }),
  },
  answers: { 200: SandboxClockTime },
  refuses: ['invalid_request', ...refuses],
  emits: [],
});

export const plantSandboxFault = row({
  spec: 'Additions §13, POST /v1/sandbox/faults',
  summary: 'Plants a fault of the provider for the merchant’s own account. Sandbox only.',
  call: 'POST /v1/sandbox/faults',
  auth: 'server',
  scope: 'checkout:write',
  permission: 'sandbox.use',
  limit: 'client',
  input: {
    body: input({
      action: oneOf(faultNames),
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 1 })),
    }),
  },
  answers: { 201: SandboxFault },
  refuses: ['invalid_request', 'gateway_not_configured', ...refuses],
  emits: [],
});

export const clearSandboxFaults = row({
  spec: 'Additions §13, DELETE /v1/sandbox/faults',
  summary: 'Removes the faults planted for the merchant’s own account. Sandbox only.',
  call: 'DELETE /v1/sandbox/faults',
  auth: 'server',
  scope: 'checkout:write',
  permission: 'sandbox.use',
  limit: 'client',
  input: {},
  answers: { 204: null },
  refuses,
  emits: [],
});

export const openSandboxDispute = row({
  spec: 'Additions §13, POST /v1/sandbox/disputes',
  summary: 'Lets the buyer’s bank dispute a payment. Sandbox only.',
  call: 'POST /v1/sandbox/disputes',
  auth: 'server',
  scope: 'checkout:write',
  permission: 'sandbox.use',
  limit: 'client',
  input: {
    body: input({
      paymentId: uuid(),
      reason: Type.Optional(oneOf(Object.keys(disputeReasons) as (keyof typeof disputeReasons)[])),
    }),
  },
  answers: { 202: null },
  refuses: ['invalid_request', 'payment_not_found', ...refuses],
  emits: [],
});

export const failSandboxRefund = row({
  spec: 'Additions §13, POST /v1/sandbox/refund-failures',
  summary: 'Lets a refund fail at the buyer’s bank after it succeeded. Sandbox only.',
  call: 'POST /v1/sandbox/refund-failures',
  auth: 'server',
  scope: 'checkout:write',
  permission: 'sandbox.use',
  limit: 'client',
  input: { body: input({ refundId: uuid() }) },
  answers: { 202: null },
  refuses: ['invalid_request', 'payment_not_found', ...refuses],
  emits: [],
});
