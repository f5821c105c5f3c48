// Coincidences that only the records of a whole schedule show. They are counted, so that a run
// without them is not taken for a proof.

import type { Chances } from './chances.ts';
import type { Answer } from './clients.ts';
import type { RunFacts } from './facts.ts';
import type { Shop } from './shop.ts';

/** What a run must contain besides every fault, or it proves nothing. */
export const countedSights = [
  'a buyer answered the bank',
  'a hold operation was refused',
  'a hold ran out',
  'a hold ran out while a statement waited for a lock',
  'a hold was ended by the expiry worker',
  'a key was sent again',
  'a key was sent again after it was forgotten',
  'a late request took effect or was replayed',
  'a refund in doubt was found',
  'a refused attempt was tried again under a new key',
  'a stale holder wrote nothing',
  'an operation was taken over',
  'in doubt, resolved as done',
  'in doubt, resolved as refused',
  'notice before the answer was settled',
  'notice duplicated',
  'out of band: cancel',
  'out of band: capture',
  'out of band: expire',
  'paused past a lease',
  'payment.capture_failed',
  'refund.failed',
  'told that another operation is at work',
  'told that the hold is over',
  'told that the hold ran out',
  'told that the outcome is unknown',
  'told to come back',
] as const;

type OperationPreview = (typeof countedSights)[number];

const day = 24 * 3_600_000;

type SightInput = {
  readonly shop: Shop;
  readonly chances: Chances;
  readonly answers: readonly Answer[];
};

export function countFacts(facts: RunFacts, { shop, chances, answers }: SightInput): void {
  const countIf = (is: boolean, name: OperationPreview) => {
    if (is) chances.count(name);
  };
  const attemptsOf = (operationId: string) =>
    facts.attempts.filter((attempt) => attempt.operationId === operationId);
  for (const { id, kind, state, epoch } of facts.operations) {
    const mine = attemptsOf(id);
    const wasOpen = mine.some(({ outcome }) => outcome === 'in_doubt');
    const isHold = kind === 'capture' || kind === 'cancel';
    countIf(epoch > 1, 'an operation was taken over');
    countIf(isHold && wasOpen && state === 'succeeded', 'in doubt, resolved as done');
    countIf(isHold && wasOpen && state === 'failed', 'in doubt, resolved as refused');
    countIf(kind === 'refund' && wasOpen && state === 'succeeded', 'a refund in doubt was found');
    countIf(
      isHold && mine.some(({ outcome }) => outcome === 'refused'),
      'a hold operation was refused',
    );
    countIf(
      isHold && new Set(mine.map(({ attempt }) => attempt)).size > 1,
      'a refused attempt was tried again under a new key',
    );
    countIf(kind === 'expire' && state === 'succeeded', 'a hold was ended by the expiry worker');
    const written = new Set(mine.map((attempt) => attempt.epoch));
    const isPassed = facts.claims.some(
      (claim) => claim.operationId === id && claim.epoch < epoch && !written.has(claim.epoch),
    );
    countIf(isPassed, 'a stale holder wrote nothing');
  }
  for (const { code, status } of answers) {
    countIf(code === 'authorization_expired', 'told that the hold ran out');
    countIf(code === 'payment_not_authorized', 'told that the hold is over');
    countIf(code === 'payment_operation_in_progress', 'told that another operation is at work');
    countIf(code === 'gateway_outcome_unknown', 'told that the outcome is unknown');
    countIf(status === 503, 'told to come back');
  }
  for (const { sequence, type } of facts.events) {
    countIf(type === 'payment.capture_failed', 'payment.capture_failed');
    countIf(sequence > 1 && type === 'refund.failed', 'refund.failed');
  }
  const sends = new Map<string, number>();
  for (const { key, at } of shop.provider.sent) {
    const first = sends.get(key);
    countIf(first !== undefined, 'a key was sent again');
    countIf(first !== undefined && at - first > day, 'a key was sent again after it was forgotten');
    sends.set(key, first ?? at);
  }
}
