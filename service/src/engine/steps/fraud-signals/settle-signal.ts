// Applies the provider's report of a warning of fraud or of a review: row and events in one transaction
// under the purchase's lock. The purchase itself is never changed.

import {
  type FraudSignal,
  judgeSignal,
  type ProviderSignal,
} from '../../../domain/payments/dispute.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { readClock } from '../../../storage/database/clock.ts';
import type { Tx } from '../../../storage/database/database.ts';
import {
  insertSignal,
  lockSignal,
  updateSignal,
} from '../../../storage/fraud-signals/fraud-signals.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Ports } from '../../ports.ts';
import { type Report, type ReportOutcome, settleReport } from '../disputes/settle-report.ts';
import { composeEvent } from '../events/compose-event.ts';
import { showReview, showWarning } from './show-signal.ts';

type SignalWord = Report<ProviderSignal>;

/** Repeatable. */
export const settleSignal = (word: SignalWord, ports: Ports): Promise<ReportOutcome> =>
  settleReport(word, ports, (tx, purchase) => settleOnce(tx, purchase, { word, ports }));

type Given = { readonly word: SignalWord; readonly ports: Ports };

async function settleOnce(
  tx: Tx,
  purchase: Payment,
  { word, ports }: Given,
): Promise<ReportOutcome> {
  const { said } = word;
  const known = await lockSignal(tx, purchase, said.signalId);
  const now = await readClock(tx);
  const scene = { tx, now, ports };
  if (!known) {
    const raised = await insertSignal(tx, purchase, { id: ports.newId(), said, now });
    await appendSignalEvent(scene, raised, firstEvents[said.kind]);
    // A review that has ended meanwhile is opened and closed.
    if (said.kind === 'review' && !said.isOpen) await closeReview(scene, raised, said);
    return 'settled';
  }
  const isOutrun = word.askedAt <= known.updatedAt;
  const change = judgeSignal(known, said, word.mayLag === true || isOutrun);
  if (change === 'behind') return 'behind';
  if (change === 'none') return 'nothing_to_change';
  if (change === 'closed') await closeReview(scene, known, said);
  // What else changes is told by the refund or the dispute that changed it.
  else await updateSignal(tx, known, { ...said, eventSeq: known.eventSeq, updatedAt: now });
  return 'settled';
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
