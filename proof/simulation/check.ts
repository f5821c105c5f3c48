// Checks a schedule after everything is settled: compares the database with the provider's own
// records, and the clients' responses with both. Reliability §2.2 to §2.6.

import { capturedStates } from '../../service/src/engine/runs/audit/rule.ts';
import type { Chances } from './chances.ts';
import { type Answer, isFinal } from './clients.ts';
import { type RunFacts, readFacts } from './facts.ts';
import type { Fixture } from './fixture.ts';
import type { Processes } from './processes.ts';
import type { Shop } from './shop.ts';
import { countFacts } from './sights.ts';

type CheckInput = {
  readonly shop: Shop;
  readonly processes: Processes;
  readonly fixture: Fixture;
  readonly chances: Chances;
  readonly answers: readonly Answer[];
  /** False while there is no notice yet about an act at the provider. */
  readonly isMeddlingTold: boolean;
  readonly isEnd: boolean;
};

export async function findViolations(known: CheckInput): Promise<string[]> {
  const facts = await readFacts(known.shop, known.fixture);
  if (known.isEnd) countFacts(facts, known);
  return [
    ...judgeIntents(facts, known),
    ...judgeKeys(facts, known),
    ...judgeRefunds(facts),
    ...judgeHolders(facts, known),
    ...judgeEvents(facts),
    ...judgeAnswers(facts, known),
  ];
}

const taken = new Set(capturedStates.match(/\w+/g));

function judgeIntents(
  { payments, ledger }: RunFacts,
  { isMeddlingTold, shop }: CheckInput,
): string[] {
  const found: string[] = [];
  for (const payment of payments.filter(({ type }) => type === 'purchase')) {
    const label = shop.labels.of(payment.id);
    const moves = ledger.filter(({ intent }) => intent === payment.intent && intent !== null);
    const count = (kind: string) => moves.filter((move) => move.kind === kind).length;
    const [captures, voids, holds] = [count('capture'), count('void'), count('authorize')];
    if (captures > 1) found.push(`M1 ${label} was captured ${captures} times`);
    if (captures > 0 && voids > 0) found.push(`M2 ${label} was captured and released`);
    for (const { kind, amount } of moves) {
      const isPart = (kind === 'authorize' || kind === 'capture') && amount !== payment.amount;
      if (isPart) found.push(`M4 ${label}: ${kind} of ${amount} instead of ${payment.amount}`);
    }
    if (payment.captured !== (taken.has(payment.status) ? payment.amount : 0)) {
      found.push(`M4 ${label} is ${payment.status} with ${payment.captured} captured`);
    }
    const isTrue = taken.has(payment.status)
      ? captures === 1 && voids === 0
      : payment.status === 'voided'
        ? captures === 0 && voids >= 1
        : payment.status === 'authorized'
          ? captures === 0 && voids === 0 && holds >= 1
          : payment.status === 'failed'
            ? captures === 0 && (holds === 0 || voids >= 1)
            : payment.hasManual;
    const isForeign = moves.some(({ origin }) => origin !== 'api');
    if (!isTrue && (isMeddlingTold || !isForeign)) {
      found.push(`M6 ${label} is ${payment.status}: ${captures} captures, ${voids} voids`);
    }
  }
  const sessions = payments.filter(
    ({ type, status }) => type === 'purchase' && status !== 'failed' && status !== 'voided',
  );
  const live = new Set(sessions.map(({ session }) => session));
  if (live.size !== sessions.length) found.push('M11 a session has two live payments');
  const known = new Set(payments.map(({ intent }) => intent));
  for (const { intent, kind } of ledger) {
    if (intent !== null && !known.has(intent)) found.push(`M6 ${kind} of an intent nobody knows`);
  }
  return found;
}

const ours = /^op-(.{36})-(\d+)$/;

function judgeKeys({ operations, ledger, attempts }: RunFacts, { shop }: CheckInput): string[] {
  const found: string[] = [];
  for (const operation of operations) {
    const label = `${operation.kind} of ${shop.labels.of(operation.paymentId)}`;
    const keys = new Set(
      shop.provider.sent.flatMap(({ key }) => (ours.exec(key)?.[1] === operation.id ? key : [])),
    );
    const mine = attempts.filter((attempt) => attempt.operationId === operation.id);
    const refused = new Set(
      mine.filter(({ outcome }) => outcome === 'refused').map(({ attempt }) => attempt),
    );
    if (keys.size > 1 + refused.size) {
      found.push(`M3 ${label}: ${keys.size} keys after ${refused.size} refusals`);
    }
    for (const attempt of refused) {
      const isHold = operation.kind === 'capture' || operation.kind === 'cancel';
      const key = `op-${operation.id}-${attempt}`;
      const effect = ledger.find(
        ({ kind, idempotencyKey }) =>
          idempotencyKey === key && (kind === 'capture' || kind === 'void'),
      );
      if (isHold && effect)
        found.push(`E3 ${label}: attempt ${attempt} was refused and took effect`);
    }
  }
  const open = new Set(['active', 'in_doubt', 'awaiting_customer']);
  for (const { kind, state, paymentId } of operations) {
    if (open.has(state)) found.push(`R1 ${kind} of ${shop.labels.of(paymentId)} is still ${state}`);
  }
  const ends = operations.filter(
    ({ kind, state }) => state === 'succeeded' && /^(capture|cancel|expire)$/.test(kind),
  );
  const ended = new Set(ends.map(({ paymentId }) => paymentId));
  if (ended.size !== ends.length) found.push('M8 two operations ended one hold');
  return found;
}

function judgeRefunds({ payments, operations, ledger }: RunFacts): string[] {
  const found: string[] = [];
  for (const purchase of payments.filter(({ type }) => type === 'purchase')) {
    const { refunded, refundPending, captured: whole } = purchase;
    if (refunded + refundPending > whole) found.push('M9 more refunded than captured');
  }
  for (const operation of operations.filter(({ kind }) => kind === 'refund')) {
    const effects = ledger.filter(
      ({ kind, metadata }) => kind === 'refund' && metadata.operation_id === operation.id,
    );
    if (effects.length > 1) found.push(`M10 a refund was paid ${effects.length} times`);
    const refund = payments.find(({ id }) => id === operation.paymentId);
    const failed = ledger.some(
      ({ kind, metadata }) => kind === 'refund_failed' && metadata.operation_id === operation.id,
    );
    if (refund?.status === 'succeeded' && effects.length !== 1) {
      found.push('M6 a refund succeeded that the provider never made');
    }
    if (refund?.status === 'refund_failed' && effects.length > 0 && !failed) {
      found.push('M6 a refund failed that the provider made');
    }
  }
  return found;
}

function judgeHolders(
  { claims, endings, payments }: RunFacts,
  { shop, processes }: CheckInput,
): string[] {
  const found: string[] = [];
  const writers = new Map<string, string>();
  for (const { operationId, epoch, owner, process } of endings) {
    const holding = `${operationId} ${epoch}`;
    // The same process wrote it again, because the commit before seemed lost.
    const isOwn = owner ? processes.made(process, owner) : writers.get(holding) === process;
    if (process && !isOwn)
      found.push(`R2 ${process} wrote an outcome in epoch ${epoch} of another`);
    writers.set(holding, process);
  }
  for (const request of shop.provider.sent) {
    const operationId = ours.exec(request.key)?.[1];
    if (!operationId || !request.path.includes('/capture')) continue;
    // The claim under which this actor works, made with the clock that was read under the payment's
    // lock.
    const claim = claims.findLast(
      ({ operationId: id, owner, at }) =>
        id === operationId && request.ids.has(owner) && at <= request.at,
    );
    if (!claim || claim.expiresAt === null) continue;
    const isOver = claim.leaseUntil - shop.ports.settings.leaseMs >= claim.expiresAt;
    if (isOver) found.push(`M5 ${request.actor} captured under a claim made after the hold's end`);
  }
  for (const payment of payments) {
    const versions = payment.history.map(({ version }) => version);
    const isWhole = versions.every((version, index) => version === index);
    if (!isWhole || versions.length !== payment.version + 1) found.push('M7 a gap in the history');
  }
  return found;
}

function judgeEvents({ payments, events }: RunFacts): string[] {
  const found: string[] = [];
  for (const payment of payments) {
    const mine = events.filter(({ resourceId }) => resourceId === payment.id);
    const isGapless = mine.every(({ sequence }, index) => sequence === index + 1);
    if (!isGapless || mine.length !== payment.eventSeq) {
      found.push(`E1 ${payment.eventSeq} events counted, ${mine.length} stored`);
    }
    if (payment.type !== 'purchase') continue;
    const told = mine.filter(({ type }) => /^(item\.purchased|payment\.succeeded)$/.test(type));
    const wasTaken = payment.history.some(({ status }) => taken.has(status));
    if (told.length !== (wasTaken ? 1 : 0)) {
      found.push(`E2 a payment that is ${payment.status} was told as paid ${told.length} times`);
    }
    for (const [index, step] of payment.history.entries()) {
      const before = payment.history[index - 1];
      const isOpen = step.status === 'unknown' || step.status === 'processing';
      const isTold = before !== undefined && step.eventSeq > before.eventSeq;
      if (isOpen && isTold) found.push('E4 an open outcome was told');
    }
  }
  return found;
}

/** Responses to clients must be true. I1, I5, R1 and the honesty of responses. */
function judgeAnswers(facts: RunFacts, { answers, shop }: CheckInput): string[] {
  const found: string[] = [];
  for (const key of new Set(answers.map(({ wish }) => `${wish.kind} ${wish.key}`))) {
    const mine = answers.filter(({ wish }) => `${wish.kind} ${wish.key}` === key);
    const first = mine[0];
    if (!first) continue;
    const { wish } = first;
    if (wish.kind !== 'process') {
      const bodies = new Set(mine.filter(({ status }) => status === 200).map(({ text }) => text));
      if (bodies.size > 1) found.push(`I1 ${bodies.size} different answers to one key`);
      const count = facts.operations.filter(({ key: stored, kind }) => {
        return stored === wish.key && kind === wish.kind;
      }).length;
      if (count > 1) found.push(`I1 ${count} operations under one key`);
    }
    const last = mine.at(-1);
    const isStuck = facts.operations.some(({ state }) => state === 'manual');
    if (last && last.status >= 500 && !isStuck) {
      found.push(`R1 ${wish.name} is left with ${last.status} ${last.code}`);
    }
    for (const answer of mine) {
      const lie = findLie(answer, facts);
      if (lie) found.push(`honesty: ${shop.labels.of(wish.purchase.paymentId ?? '')} ${lie}`);
    }
  }
  return found;
}

function findLie(answer: Answer, { payments, ledger }: RunFacts): string | undefined {
  const { wish, status, code } = answer;
  const payment = payments.find(({ id }) => id === wish.purchase.paymentId);
  if (!payment || !isFinal(answer)) return undefined;
  const hasMoved = (kind: string) =>
    ledger.some((move) => move.intent === payment.intent && move.kind === kind);
  if (status === 200 && wish.kind === 'capture' && !hasMoved('capture')) return 'answered captured';
  if (status === 200 && wish.kind === 'cancel' && (!hasMoved('void') || hasMoved('capture'))) {
    return 'answered released';
  }
  // Every request here has a key of its own with one body.
  if (code === 'idempotency_key_reused') return 'was taken for another request (I5)';
  if (code === 'payment_not_authorized' && payment.status === 'authorized') {
    return 'answered not authorized while it was';
  }
  const isExpired =
    payment.voidReason === 'expired' ||
    (payment.expiresAt !== null && payment.expiresAt <= answer.at);
  if (code === 'authorization_expired' && !isExpired) return 'answered expired before it was';
  return undefined;
}
