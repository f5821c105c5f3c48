// Applies the provider's report of a warning of fraud or of a review: row and events in one transaction
// under the purchase's lock. The purchase itself is never changed.

import {
  type FraudSignal,
  judgeSignal,
  type ProviderSignal,
} from '../../../domain/payments/dispute.ts';
import { readClock } from '../../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import {
  insertSignal,
  lockSignal,
  updateSignal,
} from '../../../storage/fraud-signals/fraud-signals.ts';
import { lockPayment } from '../../../storage/payments/payments.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Ports } from '../../ports.ts';
import { composeEvent } from '../events/compose-event.ts';
import { showReview, showWarning } from './show-signal.ts';

type SignalWord = {
  readonly clientId: string;
  readonly purchaseId: string;
  readonly said: ProviderSignal;
  /** The service's time before the provider was asked. */
  readonly askedAt: Date;
  /** The report may come from a copy that lags behind. */
  readonly mayLag: boolean;
};

/** Returns `behind` when the report may be older than the stored state. Repeatable. */
export async function settleSignal(
  word: SignalWord,
  ports: Ports,
): Promise<'settled' | 'nothing_to_change' | 'behind'> {
  const outcome = await repeatWhenLost(() =>
    ports.database.transaction(word.clientId, (tx) => settleOnce(tx, word, ports)),
  );
  if (outcome === 'settled') ports.nudge('deliver-webhooks');
  return outcome;
}

async function settleOnce(tx: Tx, word: SignalWord, ports: Ports) {
  const { said } = word;
  const purchase = await lockPayment(tx, word.clientId, word.purchaseId);
  if (!purchase) throw new Error(`payment ${word.purchaseId} is missing`);
  const known = await lockSignal(tx, purchase, said.signalId);
  const now = await readClock(tx);
  const scene = { tx, now, ports };
  if (!known) {
    const raised = await insertSignal(tx, purchase, { id: ports.newId(), said, now });
    await appendSignalEvent(scene, raised, firstEvents[said.kind]);
    // A review that has ended meanwhile is opened and closed.
    if (said.kind === 'review' && !said.isOpen) await closeReview(scene, raised, said);
    return 'settled' as const;
  }
  const isOutrun = word.askedAt <= known.updatedAt;
  const change = judgeSignal(known, said, word.mayLag || isOutrun);
  if (change === 'behind') return 'behind' as const;
  if (change === 'none') return 'nothing_to_change' as const;
  if (change === 'closed') await closeReview(scene, known, said);
  // What else changes is told by the refund or the dispute that changed it.
  else await updateSignal(tx, known, { ...said, eventSeq: known.eventSeq, updatedAt: now });
  return 'settled' as const;
}

type SignalContext = { readonly tx: Tx; readonly now: Date; readonly ports: Ports };

const firstEvents = {
  warning: 'payment.fraud_warning',
  review: 'payment.review_opened',
} as const;

async function closeReview(scene: SignalContext, review: FraudSignal, said: ProviderSignal) {
  const change = { ...said, eventSeq: review.eventSeq + 1, updatedAt: scene.now };
  const closed = await updateSignal(scene.tx, review, change);
  await appendSignalEvent(scene, closed, 'payment.review_closed');
}

async function appendSignalEvent(
  { tx, now, ports }: SignalContext,
  signal: FraudSignal,
  type: (typeof firstEvents)['warning' | 'review'] | 'payment.review_closed',
): Promise<void> {
  const common = {
    id: ports.newId(),
    clientId: signal.clientId,
    isLive: signal.isLive,
    now,
    sequence: signal.eventSeq,
    request: null,
  };
  const place = { id: signal.id, version: signal.version };
  await appendEvent(
    tx,
    type === 'payment.fraud_warning'
      ? composeEvent({
          ...{ ...common, type, resource: { type: 'fraud_warning', ...place } },
          data: { object: showWarning(signal) },
        })
      : composeEvent({
          ...{ ...common, type, resource: { type: 'review', ...place } },
          data: { object: showReview(signal) },
        }),
  );
}
