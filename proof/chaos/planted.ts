// One-line faults in the code that the crashes and the storms must find, with real processes and a
// real database. They are listed with the other planted faults; reliability 3.6.

import { oneChange, type PlantedFault } from '../planting/planted-fault.ts';

const crashes = 'chaos crashes';
const storms = 'chaos storms';

const database = 'service/src/storage/database/database.ts';

export const chaosFaults: readonly PlantedFault[] = [
  {
    name: 'answers go out before their commit is on disk',
    changes: oneChange(
      'service/src/storage/database/session-settings.ts',
      "synchronous_commit: 'on'",
      "synchronous_commit: 'off'",
    ),
    suite: crashes,
    caughtBy: /^(M|I1|E|H|3\.4)/,
    inGate: {
      suite: 'service/src/storage/database/database.test.ts',
      caughtBy: /what server and role are set to otherwise/,
    },
  },
  {
    name: 'a process dies with its database',
    changes: oneChange(database, "pool.on('error', () => undefined);", ''),
    suite: crashes,
    caughtBy: / ended: /,
  },
  {
    name: 'ready without a database',
    changes: oneChange(
      'service/src/http/doors/health.ts',
      "const isUp = database !== null && isMigrated && isWritable && vault === 'ready';",
      "const isUp = true || isWritable || vault === 'ready' || isMigrated || database !== null;",
    ),
    suite: crashes,
    caughtBy: /R5 not ready/,
    inGate: {
      suite: 'service/src/http/server.test.ts',
      caughtBy: /is not ready without a database/,
    },
  },
  {
    name: 'a repeat does not wait for the running request',
    changes: oneChange(
      'service/src/domain/payments/operation.ts',
      "return { step: isLeasedByOther(sameKey, leaseOwner, now) ? 'wait' : 'take_over' };",
      "return { step: isLeasedByOther(sameKey, leaseOwner, now) && false ? 'wait' : 'take_over' };",
    ),
    suite: storms,
    caughtBy: /originals|other answers|^M1/,
    inGate: {
      suite: 'proof/chaos/hold-engine.test.ts',
      caughtBy: /is waited for/,
    },
  },
  {
    name: 'refunds under way are not counted',
    changes: oneChange(
      'service/src/domain/payments/refund.ts',
      'purchase.capturedMinor - purchase.refundedMinor - purchase.refundPendingMinor;',
      'purchase.capturedMinor - purchase.refundedMinor;',
    ),
    suite: storms,
    caughtBy: /M9|I1d/,
    inGate: {
      suite: 'proof/model/pure-model.test.ts',
      caughtBy: /agrees with the reference model/,
    },
  },
  {
    name: 'another body under the same key is let in',
    changes: oneChange(
      'service/src/domain/payments/operation.ts',
      'operation.paymentId === request.paymentId &&\n  (operation',
      'operation.paymentId === request.paymentId ||\n  (operation',
    ),
    suite: storms,
    caughtBy: /I2 one body/,
    inGate: {
      suite: 'service/src/operations/payments/capture-payment.test.ts',
      caughtBy: /idempotency_key_reused/,
    },
  },
  {
    name: 'too many callers are not told when to come again',
    changes: oneChange(
      'service/src/http/wire/errors.ts',
      'retryAfterSeconds === undefined ?',
      "retryAfterSeconds === undefined || refusal.code === 'service_unavailable' ?",
    ),
    suite: storms,
    caughtBy: /503 without Retry-After/,
    inGate: {
      suite: 'service/src/http/rows/api.test.ts',
      caughtBy: /503 service_unavailable/,
    },
  },
];
