// What a provider's outcome does to payment, operation and session, over every pair of status and
// answer, judged by the database's own table of moves. Spec: States and transitions. Contract §2.

import { errorEntry } from '@svc/contract/errors/errors';
import { type PaymentStatus, paymentStatuses } from '@svc/contract/payments/payments';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness.ts';
import { anOperation, aPayment, providerFacts } from '../../../test/payments/money.ts';
import { sql } from '../../storage/database/sql.ts';
import { attemptRefusal } from './attempt-failures.ts';
import { decideAttempt } from './attempt-settlement.ts';
import { capturedOtherwise, settledByOperator } from './operation.ts';
import type { Payment } from './payment.ts';
import type { ProviderFacts } from './provider-facts.ts';
import { decideHold, type ProviderAnswer, type Settlement, settleReading } from './settlement.ts';

const now = new Date('2026-05-01T12:00:00.000Z');
const isMove = sql<{ from: PaymentStatus; to: PaymentStatus; ok: boolean }>(
  'test_moves',
  `select f as from, t as to, is_payment_move('purchase', f, t) as ok
   from unnest($1::text[]) f cross join unnest($1::text[]) t`,
);

let db: TestDatabase;
const moves = new Set<string>();
beforeAll(async () => {
  db = await freshDatabase();
  for (const { from, to, ok } of await db.database.read(isMove, [paymentStatuses])) {
    if (ok) moves.add(`${from} ${to}`);
  }
});
afterAll(() => db?.close());

const states = [
  'new',
  'requires_action',
  'processing',
  'authorized',
  'captured',
  'released',
] as const satisfies readonly ProviderFacts['state'][];
const facts = (
  state: ProviderFacts['state'],
  releasedBecause: ProviderFacts['releasedBecause'] = null,
) => providerFacts(now, { state, releasedBecause });
const said: ProviderFacts[] = states.flatMap((state) =>
  state === 'released' ? [facts(state, 'expired'), facts(state, 'canceled')] : [facts(state)],
);
const refusal = (payment: ProviderFacts | null, code = 'declined'): ProviderAnswer => ({
  kind: 'refused',
  code,
  declineCode: 'generic_decline',
  message: null,
  payment,
});
const answers: ProviderAnswer[] = [
  { kind: 'in_doubt', cause: 'no_answer' },
  refusal(null),
  refusal(null, 'unavailable'),
  ...said.flatMap((payment): ProviderAnswer[] => [
    { kind: 'confirmed', payment },
    { kind: 'requires_action', payment },
    refusal(payment),
  ]),
];

const kinds = ['capture', 'cancel', 'expire', 'authorize'] as const;
type Case = {
  kind: (typeof kinds)[number];
  payment: Payment;
  answer: ProviderAnswer;
  settlement: Settlement;
};

/** Every kind × status × answer × end of the hold. */
const cases: Case[] = kinds.flatMap((kind) =>
  paymentStatuses.flatMap((status) =>
    answers.flatMap((answer) =>
      [-1, 1].map((sign): Case => {
        const payment = aPayment({
          status,
          authorizationExpiresAt: new Date(now.getTime() + sign * 60_000),
          authorizationVoidReason: status === 'voided' ? 'provider_canceled' : null,
        });
        const operation = anOperation({ kind });
        const settle = kind === 'authorize' ? decideAttempt : decideHold;
        return { kind, payment, answer, settlement: settle({ payment, operation, answer, now }) };
      }),
    ),
  ),
);
const nameOf = ({ kind, payment, answer, settlement }: Case) =>
  JSON.stringify([kind, payment.status, answer, settlement]);
const reportedState = (answer: ProviderAnswer) =>
  answer.kind === 'in_doubt' ? null : (answer.payment?.state ?? null);
const open: readonly string[] = ['pending', 'processing', 'authorized', 'unknown'];
const isOpenTo = ({ kind, payment }: Case): boolean =>
  open.includes(payment.status) &&
  (kind === 'authorize' ? payment.status !== 'authorized' : /auth|unk/.test(payment.status));

/** Fails with the first case for which the claim is false. */
function check(claim: (one: Case) => boolean, among: (one: Case) => boolean = () => true): void {
  const chosen = cases.filter(among);
  expect(chosen.length).toBeGreaterThan(0);
  const wrong = chosen.find((one) => !claim(one));
  expect(wrong && nameOf(wrong)).toBeUndefined();
}

describe('decideHold and decideAttempt, over every kind, status and answer', () => {
  it('make no move that the database refuses', () => {
    expect(moves.size).toBe(23);
    check(({ payment, settlement: { change } }) => {
      const to = change?.status ?? payment.status;
      return to === payment.status || moves.has(`${payment.status} ${to}`);
    });
  });

  it('tell an end by an event, and nothing without a change', () => {
    const told = ['succeeded', 'voided', 'failed'];
    check(({ payment, settlement: { change, event } }) => {
      if (!change) return event === null;
      const isEnd = change.status !== payment.status && told.includes(change.status ?? '');
      return !isEnd || event !== null;
    });
  });

  it('give a reason exactly to what is voided', () => {
    check(({ settlement: { change } }) => {
      if (!change?.status) return true;
      return (change.status === 'voided') === (change.authorizationVoidReason !== undefined);
    });
  });

  it('in doubt is never failed, tells nobody and is no final answer', () => {
    check(
      ({ settlement }) =>
        settlement.state === 'in_doubt' &&
        settlement.event === null &&
        settlement.answer.final === false &&
        [undefined, 'unknown'].includes(settlement.change?.status),
      ({ answer }) => answer.kind === 'in_doubt',
    );
  });

  it('in doubt makes an open payment unknown, but for a hold that is being ended', () => {
    check(
      ({ payment, settlement }) =>
        payment.status === 'unknown' || settlement.change?.status === 'unknown',
      (one) => one.answer.kind === 'in_doubt' && isOpenTo(one) && one.kind !== 'expire',
    );
    check(
      ({ settlement }) => settlement.change === null,
      (one) => one.answer.kind === 'in_doubt' && one.kind === 'expire',
    );
  });

  it('captured at the provider is captured here, whatever else the answer says', () => {
    check(
      ({ settlement: { change, event } }) =>
        change?.status === 'succeeded' && change.capturedMinor === 1990 && event === 'purchase',
      (one) => reportedState(one.answer) === 'captured' && isOpenTo(one),
    );
  });

  it('released at the provider is never captured here, and never still held', () => {
    check(
      ({ kind, settlement: { change } }) =>
        change?.status === (kind === 'authorize' ? 'failed' : 'voided'),
      (one) => reportedState(one.answer) === 'released' && isOpenTo(one),
    );
  });

  it('a payment that has ended stays as it is', () => {
    check(
      ({ settlement }) => settlement.change === null && settlement.event === null,
      ({ payment }) => !open.includes(payment.status),
    );
  });

  it('a final answer ends the operation, and an open operation has none', () => {
    check(({ settlement: { answer, state } }) =>
      answer.final
        ? state === 'succeeded' || state === 'failed'
        : state !== 'succeeded' && 'code' in answer && errorEntry(answer.code).retryable === true,
    );
  });

  it('only the wanted end succeeds', () => {
    const wanted = { capture: 'captured', cancel: 'released', expire: 'released' } as const;
    check(
      ({ kind, answer }) => reportedState(answer) === wanted[kind as keyof typeof wanted],
      ({ kind, settlement }) => kind !== 'authorize' && settlement.state === 'succeeded',
    );
    check(
      ({ answer }) => ['captured', 'authorized'].includes(reportedState(answer) ?? ''),
      ({ kind, settlement }) => kind === 'authorize' && settlement.state === 'succeeded',
    );
  });
});

const settle = (
  kind: Case['kind'],
  given: { answer: ProviderAnswer; status?: PaymentStatus; isOver?: boolean },
) => {
  const end = new Date(now.getTime() + (given.isOver ? -1 : 1));
  const status = given.status ?? (kind === 'authorize' ? 'pending' : 'authorized');
  const payment = aPayment({ status, authorizationExpiresAt: end });
  const all = { payment, operation: anOperation({ kind }), answer: given.answer, now };
  return kind === 'authorize' ? decideAttempt(all) : decideHold(all);
};
const confirms = (payment: ProviderFacts): ProviderAnswer => ({ kind: 'confirmed', payment });

describe('another amount than ours', () => {
  const otherAmount = (state: ProviderFacts['state']) => ({ ...facts(state), amountMinor: 1000 });
  const answersOf = (payment: ProviderFacts) => [confirms(payment), refusal(payment)];

  it.each(answersOf(otherAmount('captured')))('of a hold: the operator decides', (answer) => {
    const ended = refusal(otherAmount('captured'), settledByOperator);
    for (const kind of ['capture', 'cancel', 'expire'] as const) {
      expect(settle(kind, { answer })).toMatchObject({
        change: { status: 'unknown', failureCode: capturedOtherwise },
        state: 'in_doubt',
        answer: { final: false, code: 'gateway_outcome_unknown' },
      });
      expect(settle(kind, { answer: ended, status: 'unknown' })).toMatchObject({
        change: { status: 'failed' },
        event: 'payment.capture_failed',
        answer: { final: true, code: 'payment_not_authorized' },
      });
    }
  });

  it.each([...answersOf(otherAmount('captured')), ...answersOf(otherAmount('authorized'))])(
    'of an attempt leaves it in doubt',
    (answer) => {
      expect(settle('authorize', { answer })).toMatchObject({
        change: { status: 'unknown' },
        event: null,
        state: 'in_doubt',
        session: { status: 'processing', attemptResult: 'UNKNOWN' },
      });
    },
  );
});

describe('decideHold', () => {
  it('capture refused: told once per answer, still held, the key goes on', () => {
    expect(settle('capture', { answer: refusal(null, 'unavailable') })).toMatchObject({
      change: {},
      event: 'payment.capture_failed',
      failure: { code: 'unavailable' },
      state: 'failed',
      answer: { final: false, code: 'gateway_capture_failed' },
    });
    const { change } = settle('capture', { answer: refusal(null), status: 'unknown' });
    expect(change).toEqual({ status: 'authorized' });
  });

  it('cancel refused: no event', () => {
    expect(settle('cancel', { answer: refusal(null) })).toMatchObject({
      event: null,
      state: 'failed',
      answer: { final: false, code: 'gateway_cancel_failed' },
    });
  });

  it.each([
    ['cancel', 'canceled', false, 'merchant_requested', 'voided', null],
    ['cancel', 'canceled', true, 'merchant_requested', 'voided', null],
    ['cancel', 'expired', true, 'expired', 'expired', 'authorization_expired'],
    ['capture', 'canceled', false, 'provider_canceled', 'voided', 'payment_not_authorized'],
    ['capture', 'canceled', true, 'expired', 'expired', 'authorization_expired'],
    ['capture', 'expired', false, 'expired', 'expired', 'authorization_expired'],
    ['expire', 'canceled', true, 'expired', 'expired', 'authorization_expired'],
  ] as const)('%s finds it released (%s, over: %s): %s', (kind, because, isOver, ...rest) => {
    const [reason, event, code] = rest;
    const settlement = settle(kind, { answer: confirms(facts('released', because)), isOver });
    expect(settlement.change).toMatchObject({ authorizationVoidReason: reason });
    expect(settlement.event).toBe(`payment.authorization_${event}`);
    const final = code ? { final: true, code } : { final: true, status: 200 };
    expect(settlement.answer).toEqual(final);
  });

  it('cancel finds it captured: captured, and the cancel is refused for good', () => {
    const settlement = settle('cancel', { answer: confirms(facts('captured')) });
    expect(settlement).toMatchObject({
      change: { status: 'succeeded' },
      event: 'purchase',
      state: 'failed',
      answer: { final: true, code: 'payment_not_authorized' },
    });
  });

  it('"still held" is no refusal: the request may be under way', () => {
    expect(settle('capture', { answer: confirms(facts('authorized')) })).toMatchObject({
      state: 'in_doubt',
      failure: { code: 'still_held' },
    });
  });
});

describe('decideAttempt', () => {
  it('a hold: authorised until 60 s before the deadline, and the session says so', () => {
    const settlement = settle('authorize', { answer: confirms(facts('authorized')) });
    expect(settlement.event).toBe('payment.authorized');
    expect(settlement.session).toMatchObject({
      status: 'authorized',
      attemptResult: 'AUTHORIZED',
      authorizationExpiresAt: settlement.change?.authorizationExpiresAt,
    });
  });

  it.each([
    ['pending', { status: 'processing' }],
    ['processing', null],
    ['unknown', null],
  ] as const)('processing at the provider, from %s', (status, change) => {
    const answer = confirms(facts('processing'));
    expect(settle('authorize', { answer, status })).toMatchObject({
      change,
      state: 'in_doubt',
      session: { status: 'processing', attemptResult: 'PROCESSING' },
    });
  });

  it('the buyer has to act: nothing moves, nobody is told', () => {
    const answer: ProviderAnswer = { kind: 'requires_action', payment: facts('requires_action') };
    expect(settle('authorize', { answer })).toMatchObject({
      change: null,
      event: null,
      state: 'awaiting_customer',
      session: { status: 'requires_action', attemptResult: 'REQUIRES_ACTION' },
    });
  });

  it.each([
    ['declined', 'DECLINED', 'card_declined'],
    ['authentication_failed', 'DECLINED', 'card_declined'],
    ['canceled', 'CANCELED', 'card_declined'],
    ['card_token_used', 'ERROR', 'invalid_request'],
    ['card_token_expired', 'ERROR', 'invalid_request'],
    ['unavailable', 'ERROR', 'gateway_unavailable'],
    ['provider_configuration', 'ERROR', 'gateway_unavailable'],
    ['key_refused', 'ERROR', 'gateway_refused'],
  ])('refused as %s: %s, %s, the session reopens', (code, attemptResult, refused) => {
    expect(settle('authorize', { answer: refusal(null, code) })).toMatchObject({
      change: { status: 'failed', failureCode: code, declineCode: 'generic_decline' },
      event: 'payment.failed',
      state: 'failed',
      answer: { final: true, code: refused },
      session: { status: 'open', attemptResult, attemptDeclineCode: 'generic_decline' },
    });
    expect(attemptRefusal(code)).toBe(refused);
    const told = /^card_token_/.test(code) ? code : code === 'key_refused' ? refused : null;
    const unjudged = { ...refusal(null, code), declineCode: null };
    const { session } = settle('authorize', { answer: unjudged });
    expect(session).toMatchObject({ attemptDeclineCode: told });
  });
});

describe('settleReading', () => {
  it('moves only what is held, only forward, and never what the database refuses', () => {
    for (const status of paymentStatuses) {
      for (const one of said) {
        const moved = settleReading(aPayment({ status }), one, now);
        const isNews = status === 'authorized' && /captured|released/.test(one.state);
        expect(moved !== null, `${status} ${one.state}`).toBe(isNews);
        if (moved) expect(moves).toContain(`${status} ${moved.change?.status}`);
      }
    }
  });

  it.each([
    ['captured', null, 1, 'succeeded', undefined, 'purchase'],
    ['released', 'expired', 1, 'voided', 'expired', 'payment.authorization_expired'],
    ['released', 'canceled', -1, 'voided', 'expired', 'payment.authorization_expired'],
    ['released', 'canceled', 1, 'voided', 'provider_canceled', 'payment.authorization_voided'],
  ] as const)('%s (%s), its end %i ms away: %s %s', (state, because, ms, ...rest) => {
    const [status, reason, event] = rest;
    const end = new Date(now.getTime() + ms);
    const payment = aPayment({ status: 'authorized', authorizationExpiresAt: end });
    const moved = settleReading(payment, facts(state, because), now);
    expect(moved).toMatchObject({ change: { status }, event });
    expect(moved?.change?.authorizationVoidReason).toBe(reason);
  });

  it('leaves refunds and chargebacks alone', () => {
    for (const type of ['refund', 'chargeback'] as const) {
      const payment = aPayment({ type, status: 'authorized' });
      expect(settleReading(payment, facts('captured'), now)).toBeNull();
    }
  });
});
