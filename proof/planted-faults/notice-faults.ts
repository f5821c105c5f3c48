// Faults in reading providers' notices: a notice that never came is not listed, or the wrong copy
// is trusted. docs/decisions/reconciliation.md.

import type { PlantedFault } from '../planting/planted-fault.ts';

const folder = 'service/src/engine/runs/notices';
const spans = 'service/src/engine/steps/pacing/walk-spans.ts';
const lost = `${folder}/lagging-copies.test.ts`;

export const noticeFaults: readonly PlantedFault[] = [
  {
    name: 'the list of lost notices begins where the last one ended, without an overlap',
    changes: [{ file: spans, from: 'const overlapMs = 600_000;', to: 'const overlapMs = 0;' }],
    suite: lost,
    caughtBy: /asked for since the last time/,
  },
  {
    name: 'a span whose list was broken off counts as listed',
    changes: [
      {
        file: spans,
        from: "if (listed.kind === 'found') return listed;",
        to: "if (listed.kind === 'found') return listed;\n    if (span) return { ...listed, kind: 'found', items: [], next: null };",
      },
    ],
    suite: lost,
    caughtBy: /asked for since the last time/,
  },
  {
    name: 'a capture that was taken back is not read where its payment is settled',
    changes: [
      {
        file: 'service/src/domain/payments/capture-reversal.ts',
        from: "beyondHold: ['authorized', 'succeeded', 'unknown'],",
        to: "beyondHold: ['authorized', 'unknown'],",
      },
    ],
    suite: `${folder}/refund-histories.test.ts`,
    caughtBy: /any history of refunds/,
  },
  {
    name: 'a wallet order that is missing on a copy that lags is given up',
    changes: [
      {
        file: 'service/src/providers/wallet/authorize.ts',
        from: 'if (isUnread && outcome.code === notApproved) return',
        to: "if (isUnread && outcome.code === '') return",
      },
    ],
    suite: 'service/src/providers/wallet/authorize.test.ts',
    caughtBy: /missing on a copy that lags/,
  },
  {
    name: 'a refund that was made by hand at the wallet counts as nobody’s',
    changes: [
      {
        file: `${folder}/read-refund-notice.ts`,
        from: "if (said.intentId === null) return 'not_ours';",
        to: "if (said.intentId === null || notice.intentId === null) return 'not_ours';",
      },
    ],
    suite: `${folder}/wallet-histories.test.ts`,
    caughtBy: /any history of an order/,
  },
  {
    name: 'a missing order is called gone after an unclear capture',
    changes: [
      {
        file: 'service/src/providers/wallet/capture.ts',
        from: 'return sent.mayHaveActed || mayHaveActed\n',
        to: 'return sent.mayHaveActed\n',
      },
    ],
    suite: `${folder}/wallet-histories.test.ts`,
    caughtBy: /any history of an order/,
  },
  {
    name: 'a late failure of a refund is closed on an old copy',
    changes: [
      {
        file: `${folder}/read-refund-notice.ts`,
        from: "if (isFailure) return status === null && outcome !== 'nothing_to_change' ? outcome : undefined;",
        to: 'if (isFailure) return outcome;',
      },
    ],
    suite: `${folder}/refund-histories.test.ts`,
    caughtBy: /any history of refunds/,
  },
];
