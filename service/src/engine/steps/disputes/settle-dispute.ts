// Applies the provider's report of a dispute: dispute, chargeback rows and events in one
// transaction under the purchase's lock. The purchase itself is never changed. Contract §2.

import type { EventType } from '@svc/contract/rows/event-types';
import {
  changeEvent,
  type Dispute,
  type DisputeFacts,
  disputeFactsOf,
  isClosed,
  isOlderReading,
  isShortOf,
  movementEvent,
  newMovements,
  type ProviderDispute,
} from '../../../domain/payments/dispute.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { readClock } from '../../../storage/database/clock.ts';
import type { Tx } from '../../../storage/database/database.ts';
import {
  findRecordedMovements,
  insertChargeback,
  insertDispute,
  lockDispute,
  updateDispute,
} from '../../../storage/payments/disputes.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Ports } from '../../ports.ts';
import { composeEvent } from '../events/compose-event.ts';
import { showPayment } from '../payments/show-payment.ts';
import { type Report, type ReportOutcome, settleReport } from './settle-report.ts';
import { showDispute } from './show-dispute.ts';

export type DisputeWord = Report<ProviderDispute>;

/** Repeatable: a movement is never recorded twice. */
export const settleDispute = (word: DisputeWord, ports: Ports): Promise<ReportOutcome> =>
  settleReport(word, ports, (tx, purchase) => settleOnce(tx, purchase, { word, ports }));

type Given = { readonly word: DisputeWord; readonly ports: Ports };

async function settleOnce(
  tx: Tx,
  purchase: Payment,
  { word, ports }: Given,
): Promise<ReportOutcome> {
  const { said } = word;
  const known = await lockDispute(tx, purchase, said.disputeId);
  const { recorded, classifiedFrom } = await findRecordedMovements(tx, purchase, said.disputeId);
  // A report that was asked for before the last change was written may also be older than that change.
  const isOutrun = known !== undefined && word.askedAt <= known.updatedAt;
  const isStepBack = word.mayLag === true && known && isShortOf(said.status, known.status);
  if (isOutrun || isStepBack || isOlderReading(known, recorded, said)) return 'behind';

  const now = await readClock(tx);
  const scene = { tx, purchase, said, now, ports };
  const chargebacks: Payment[] = [];
  for (const movement of newMovements(said, recorded, classifiedFrom)) {
    const written = { id: ports.newId(), movement, said, now };
    chargebacks.push(await insertChargeback(tx, purchase, written));
  }
  const isChanged = known
    ? await applyChange(scene, known, chargebacks.length > 0)
    : await openDispute(scene);
  for (const chargeback of chargebacks) await appendMovementEvent(scene, chargeback);
  return isChanged ? 'settled' : 'nothing_to_change';
}

type DisputeContext = {
  readonly tx: Tx;
  readonly purchase: Payment;
  readonly said: ProviderDispute;
  readonly now: Date;
  readonly ports: Ports;
};

/** Records a dispute on its first report. A dispute that has ended meanwhile is opened and closed. */
async function openDispute(scene: DisputeContext): Promise<true> {
  const { tx, purchase, said, now, ports } = scene;
  const facts = disputeFactsOf(said, undefined, now);
  const opened = await insertDispute(tx, purchase, { id: ports.newId(), said, facts, now });
  await appendDisputeEvent(scene, opened, { type: 'dispute.opened', before: null });
  if (!isClosed(opened.status)) return true;
  const eventSeq = opened.eventSeq + 1;
  const closed = await updateDispute(tx, opened, { ...facts, eventSeq, updatedAt: now });
  await appendDisputeEvent(scene, closed, { type: 'dispute.closed', before: null });
  return true;
}

async function applyChange(
  scene: DisputeContext,
  known: Dispute,
  hasMoved: boolean,
): Promise<boolean> {
  const facts = disputeFactsOf(scene.said, known, scene.now);
  const type = changeEvent(known, facts);
  if (!type && !hasMoved) return false;
  // A movement alone changes only the withdrawn amount; the chargeback's own event reports it.
  const eventSeq = known.eventSeq + (type ? 1 : 0);
  const next = await updateDispute(scene.tx, known, { ...facts, eventSeq, updatedAt: scene.now });
  if (type) await appendDisputeEvent(scene, next, { type, before: known });
  return true;
}

type DisputeEvent = Extract<EventType, `dispute.${string}`>;

async function appendDisputeEvent(
  { tx, now, ports }: DisputeContext,
  dispute: Dispute,
  { type, before }: { type: DisputeEvent; before: DisputeFacts | null },
): Promise<void> {
  const isMoved = before !== null && before.status !== dispute.status;
  const event = composeEvent({
    id: ports.newId(),
    type,
    clientId: dispute.clientId,
    isLive: dispute.isLive,
    now,
    resource: { type: 'dispute', id: dispute.id, version: dispute.version },
    sequence: dispute.eventSeq,
    request: null,
    data: {
      object: showDispute(dispute),
      previousAttributes: isMoved ? { status: before.status } : {},
    },
  });
  await appendEvent(tx, event);
}

async function appendMovementEvent(
  { tx, now, ports }: DisputeContext,
  chargeback: Payment,
): Promise<void> {
  const event = composeEvent({
    id: ports.newId(),
    type: movementEvent(chargeback),
    clientId: chargeback.clientId,
    isLive: chargeback.isLive,
    now,
    resource: { type: 'payment', id: chargeback.id, version: chargeback.version },
    sequence: chargeback.eventSeq,
    request: null,
    data: { object: showPayment(chargeback), previousAttributes: {} },
  });
  await appendEvent(tx, event);
}
