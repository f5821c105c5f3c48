// Faults in whose money at an account is whose, and in what counts where the provider shows something else than was
// asked for. docs/decisions/reconciliation.md, Contract §3.

import type { PlantedFault } from '../planting/planted-fault.ts';

const marks = 'service/src/domain/protocol/marks.ts';
const gateways = 'service/src/storage/gateways/gateways.ts';
const installations = 'service/src/engine/runs/unknown-money/installations.test.ts';
const otherwise = 'service/src/operations/payment-intents/confirmed-otherwise.test.ts';
const otherAmount = 'service/src/engine/runs/reconcile/partly-captured.test.ts';

export const accountFaults: readonly PlantedFault[] = [
  {
    name: 'what another installation made counts as ours',
    changes: [
      {
        file: marks,
        from: "return undecided.includes(installationId) ? 'undecided' : 'elsewhere';",
        to: "return undecided.includes(installationId) ? 'undecided' : 'ours';",
      },
    ],
    suite: installations,
    caughtBy: /svc reconcile of each names nothing foreign/,
  },
  {
    name: 'a copied database keeps the installation of the original',
    changes: [
      {
        file: gateways,
        from: 'i.database_identity = database_identity()',
        to: 'i.database_identity is not null',
      },
    ],
    suite: installations,
    caughtBy: /svc reconcile of each names nothing foreign/,
  },
  {
    name: 'a copy renews the subscriptions of the original',
    changes: [
      {
        file: 'service/src/storage/database/open-states.ts',
        from: "where i.status in ('undecided', 'elsewhere')",
        to: "where i.status in ('undecided')",
      },
    ],
    suite: installations,
    caughtBy: /is renewed by the one that goes on/,
  },
  {
    name: 'money is the merchant’s at whose gateway it was heard of, not the one’s that the marks name',
    changes: [
      {
        file: 'service/src/engine/runs/unknown-money/look-at-unknown.ts',
        from: 'if (merchantId !== null && merchantId !== place.clientId) {',
        to: "if (merchantId === '') {",
      },
      {
        file: 'service/src/engine/steps/notices/pass-on.ts',
        from: "maker.merchantId && made === 'ours'",
        to: "maker.merchantId && made === 'elsewhere'",
      },
    ],
    suite: installations,
    caughtBy: /money without a payment is the merchant’s/,
  },
  {
    name: 'a capture that was read with another amount is not read again',
    changes: [
      {
        file: 'service/src/engine/steps/notices/apply-reading.ts',
        from: 'if (next.failureCode === capturedOtherwise) {',
        to: "if (next.failureCode === '') {",
      },
    ],
    suite: otherAmount,
    caughtBy: /of a hold that somebody captured: the next reading settles it/,
  },
  {
    name: 'a capture that was read with another amount has failed at once',
    changes: [
      {
        file: 'service/src/domain/payments/settlement.ts',
        from: 'return isWholeAmount(payment, said) ? settleCaptured(facts, said) : settleOther(facts, said);',
        to: 'return isWholeAmount(payment, said) ? settleCaptured(facts, said) : settleReversed(facts, said);',
      },
    ],
    suite: otherAmount,
    caughtBy: /of a capture that was answered 500: the next reading settles it/,
  },
  {
    name: 'a page’s own capture method counts in place of its session’s',
    changes: [
      {
        file: 'service/src/domain/payments/confirmation.ts',
        from: 'if (captureMethod === undefined || captureMethod === payment.captureMethod) return null;',
        to: 'if (captureMethod !== payment.captureMethod || captureMethod !== undefined) return null;',
      },
    ],
    suite: otherwise,
    caughtBy: /told as paid alone/,
  },
  {
    name: 'the notice of a decline waits for the process that holds the payment',
    changes: [
      {
        file: 'service/src/engine/runs/notices/read-notices.ts',
        from: 'const isHeldElsewhere = outcome === undefined && isPageConfirmed(open);',
        to: 'const isHeldElsewhere = outcome !== undefined && isPageConfirmed(open);',
      },
    ],
    suite: 'service/src/operations/payment-intents/decline-lock.test.ts',
    caughtBy: /closes the intent while a process looks at it/,
  },
  {
    name: 'the notice of a decline waits for the process that holds the set-up',
    changes: [
      {
        file: 'service/src/engine/runs/notices/read-setup-notice.ts',
        from: "if (!due && notice.type === 'setup_intent.setup_failed')",
        to: "if (due && notice.type === 'setup_intent.setup_failed')",
      },
    ],
    suite: 'service/src/operations/card-setups/create-setup-intent.test.ts',
    caughtBy: /closes it while a process looks at it/,
  },
  {
    name: 'a card that the provider kept unasked is not listed',
    changes: [
      {
        file: 'service/src/engine/steps/payment-methods/settle-use.ts',
        from: "if (use.purpose === 'charge' && id === null) await listKept(tx, settled);",
        to: "if (use.purpose === 'renewal' && id === null) await listKept(tx, settled);",
      },
    ],
    suite: otherwise,
    caughtBy: /confirmed with another one and setup_future_usage/,
  },
  {
    name: 'a card without a row stays at the provider after forgetting',
    changes: [
      {
        file: 'service/src/engine/runs/customers/forget-customer.ts',
        from: 'if (!isForgotten) await emptyProviders(wanted, ports);',
        to: 'if (isForgotten) await emptyProviders(wanted, ports);',
      },
    ],
    suite: otherwise,
    caughtBy: /forgetCustomer empties the provider’s own list/,
  },
];
