// Faults in the checkout's code that its interleavings must find.

import type { PlantedFault } from '../planting/planted-fault.ts';

const suite = 'proof/checkout/interleavings.test.ts';
const caughtBy = /no charge without a settled claim/;

export const checkoutFaults: readonly PlantedFault[] = [
  {
    name: 'checkout: another total is charged than the buyer was shown',
    changes: [
      {
        file: 'service/src/storage/checkout-sessions/claim-attempt.ts',
        from: 'if (!isTotal(session, request.expectedTotal)) {',
        to: "if (request.sessionId === '' && !isTotal(session, request.expectedTotal)) {",
      },
    ],
    ...{ suite, caughtBy },
  },
  {
    name: 'checkout: coupons change while a card is being charged',
    changes: [
      {
        file: 'service/src/engine/runs/checkout-sessions/change-open-session.ts',
        from: "if (session.status !== 'open') {",
        to: "if (session.status !== 'open' && session.attemptId === null) {",
      },
    ],
    ...{ suite, caughtBy },
  },
  {
    name: 'checkout: an approved order is captured beside the card that has paid',
    changes: [
      {
        file: 'service/src/engine/runs/notices/adopt-order.ts',
        from: "session.status === 'open' && !hasEndedUnpaid(session, now) && offersWallet(session);",
        to: "session.status !== 'unclaimed' && offersWallet(session);",
      },
    ],
    ...{ suite, caughtBy },
  },
];
