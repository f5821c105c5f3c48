// A payment's actions, refund and requests in words and choices, without the page.

import type { TimelineEntry } from '@svc/contract/payments/disputes';
import type { Payment } from '@svc/contract/payments/payments';
import type { RefundRequest } from '@svc/contract/payments/refund-requests';
import { roles } from '@svc/contract/rows/roles';
import type { RefundRule } from '@svc/contract/settings/refund-rule';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Merchant, mayDo } from '../../kit/merchant.ts';
import type * as Person from '../../kit/person.ts';
import type { FullPayment } from './full-payment.ts';
import {
  actionsOf,
  holdNews,
  holdTexts,
  openWarningOf,
  refundButton,
  refundNews,
  requiredPermissionOf,
  whyNoRefund,
} from './payment-words.ts';
import { boundText, refundChoice } from './refund-choice.ts';
import { limitWithoutApproval } from './refund-limit.ts';
import type * as RequestWords from './request-words.ts';
import { describeEntries } from './timeline.ts';

let { dialogTexts, isOwnRequest, mayDecide, outcomeSentence } = {} as typeof RequestWords;
let { person } = {} as typeof Person;
beforeAll(async () => {
  vi.stubGlobal('location', new URL('https://pay.example/dashboard'));
  ({ dialogTexts, isOwnRequest, mayDecide, outcomeSentence } = await import('./request-words.ts'));
  ({ person } = await import('../../kit/person.ts'));
});
afterEach(() => {
  person.value = undefined;
});

const sold = {
  type: 'purchase',
  status: 'succeeded',
  currency: 'EUR',
  amount: 19.9,
  amountRefundable: 19.9,
  email: 'ada@example.test',
} as Payment;
const whole = (payment: Partial<Payment> = {}, more: Partial<FullPayment> = {}) =>
  ({
    ...{ payment: { ...sold, ...payment }, refunds: [], disputes: [] },
    ...{ details: { fraudWarnings: [], reviews: [] }, ...more },
  }) as unknown as FullPayment;
const warned = (isActionable: boolean) =>
  ({ details: { fraudWarnings: [{ isActionable }], reviews: [] } }) as unknown as FullPayment;
const disputed = (status: string) => ({ disputes: [{ status }] }) as unknown as FullPayment;

describe('a payment', () => {
  it.each([
    ['succeeded', ['refund']],
    ['partially_refunded', ['refund']],
    ['authorized', ['capture', 'cancel']],
    ...(['pending', 'processing', 'failed', 'refunded', 'voided', 'unknown'] as const).map(
      (status) => [status, []] as const,
    ),
  ] as const)('%s offers %j', (status, actions) => {
    expect(actionsOf(whole({ status }))).toEqual(actions);
  });

  it('offers no refund where nothing is left, of a refund, or while a bank decides', () => {
    expect(actionsOf(whole({ amountRefundable: 0 }))).toEqual([]);
    expect(actionsOf(whole({ type: 'refund' }))).toEqual([]);
    for (const status of ['needs_response', 'under_review', 'lost', 'appeal_under_review']) {
      expect([status, actionsOf(whole({}, disputed(status)))]).toEqual([status, []]);
    }
    for (const status of ['won', 'warning_needs_response', 'prevented']) {
      expect([status, actionsOf(whole({}, disputed(status)))]).toEqual([status, ['refund']]);
    }
  });

  it('is to be refunded before the dispute while a warning can be acted on, and not after', () => {
    const button = (payment: Partial<Payment>, more: Partial<FullPayment>) => {
      const warning = openWarningOf(whole(payment, more));
      return [refundButton(whole(payment, more)), warning !== undefined];
    };
    expect(button({}, warned(true))).toEqual(['Refund before the dispute', true]);
    expect(button({ status: 'authorized' }, warned(true))[1]).toBe(true);
    for (const [payment, more] of [
      [{}, {}],
      [{}, warned(false)],
      [{ status: 'refunded', amountRefundable: 0 }, warned(true)],
      [{}, { ...warned(true), ...disputed('won') }],
    ] as [Partial<Payment>, Partial<FullPayment>][]) {
      expect(button(payment, more)).toEqual(['Refund', false]);
    }
  });

  it('says why it cannot be refunded', () => {
    expect(whyNoRefund(whole({}, disputed('needs_response')))).toMatch(/^This payment is disputed/);
    expect(whyNoRefund(whole({ status: 'refunded' }))).toMatch(/^The payment is fully refunded/);
    const onItsWay = { refunds: [{ status: 'processing' } as Payment] };
    expect(whyNoRefund(whole({ amountRefundable: 0 }, onItsWay))).toMatch(/on its way back\.$/);
    expect(whyNoRefund(whole({ amountRefundable: 0 }))).toBeNull();
    expect(whyNoRefund(whole({ type: 'chargeback' }, disputed('lost')))).toBeNull();
  });

  it('is refunded by owners, admins, finance and support; its hold takes a permission of its own', () => {
    const refund = requiredPermissionOf(whole());
    expect(refund).toEqual({ action: 'give money back', permission: 'refunds.make' });
    const hold = requiredPermissionOf(whole({ status: 'authorized' }));
    expect(hold).toEqual({ action: 'capture or release a hold', permission: 'holds.end' });
    expect(requiredPermissionOf(whole({ status: 'failed' }))).toBeNull();
    const may = roles.filter((role) => mayDo({ role } as Merchant, 'refunds.make'));
    expect([...may].sort()).toEqual(['admin', 'finance', 'owner', 'support']);
  });

  it('tells what was done: made, refused, on its way', () => {
    expect(refundNews({ ...sold, amount: 5 })).toBe('€5.00 refunded.');
    expect(refundNews({ ...sold, status: 'refund_failed' })).toMatch(/was refused: nothing was/);
    expect(refundNews({ ...sold, status: 'processing' })).toMatch(/is on its way\.$/);
    expect(refundNews({ ...sold, amount: 5 }, 'Ada')).toBe('€5.00 refunded to Ada.');
    expect(holdNews(sold, 'Ada')).toBe('€19.90 captured from Ada.');
    expect(holdNews(sold)).toBe('€19.90 captured.');
    expect(holdNews({ ...sold, status: 'voided' })).toBe('The hold of €19.90 is released.');
    expect(holdNews({ ...sold, status: 'processing' })).toMatch(/is under way\.$/);
  });

  it('names sum and buyer before a hold is captured or released', () => {
    expect(holdTexts(sold, 'capture').title).toBe('Capture €19.90');
    expect(holdTexts(sold, 'capture').text).toContain('€19.90 is taken from the card of ada@');
    expect(holdTexts({ ...sold, email: null }, 'cancel').text).toContain('the card of the buyer');
    expect(holdTexts(sold, 'cancel')).toMatchObject({ title: 'Release the hold', verb: 'release' });
  });
});

const free = { isKnown: true, most: null, refused: null, approvers: [] };
const draft = { amount: '5', reason: 'duplicate', note: '', isMailed: false, settled: [] };

describe('the form of a refund', () => {
  it.each(['5,00', '5.00', ' 5 '])('reads “%s”', (amount) => {
    const choice = refundChoice(sold, { ...draft, amount }, free);
    expect([choice.button, choice.fault]).toEqual(['Refund €5.00', null]);
    expect(choice.submit(3)).toEqual({
      to: 'refund',
      body: { amount: 5, reason: 'duplicate', ifVersion: 3 },
    });
  });

  it.each(['19.91', '0', '-1', '1,234.00', 'abc', ''])(
    'sends nothing for “%s”, and tells the largest amount',
    (amount) => {
      const choice = refundChoice(sold, { ...draft, amount }, free);
      expect(choice.fault).toContain('€19.90 is the largest');
      expect([choice.button, choice.submit(3)]).toEqual(['Refund', { to: 'amount' }]);
    },
  );

  it('takes all that is left, no reason for none, and the mail only where it is wanted', () => {
    const all = refundChoice(sold, { ...draft, amount: '19.90', isMailed: true }, free);
    expect(all.submit(1)).toMatchObject({ body: { amount: 19.9, notifyBuyer: true } });
    expect(refundChoice(sold, { ...draft, reason: '' }, free).submit(1)).toEqual({ to: 'reason' });
  });

  it('above the limit asks for approval where somebody can give it, without version or mail', () => {
    const bound = { ...free, most: 20, approvers: ['Anna Admin'] };
    const most = { ...sold, amountRefundable: 99.5 };
    const at = (amount: string, given = bound) =>
      refundChoice(most, { ...draft, amount, isMailed: true }, given);
    expect(at('20').button).toBe('Refund €20.00');
    expect(at('20.01').button).toBe('Ask for approval');
    expect(at('20.01').submit(1)).toEqual({
      to: 'ask',
      body: { amount: 20.01, reason: 'duplicate' },
    });
    const alone = at('20.01', { ...bound, approvers: [] });
    expect([alone.button, alone.isAbove]).toEqual(['Refund €20.01', true]);
  });

  it('after a refusal for the size offers to ask for the same amount', () => {
    const bound = { ...free, most: 20, refused: 15, approvers: ['Anna Admin'] };
    const at = (amount: string) => refundChoice(sold, { ...draft, amount }, bound).button;
    expect([at('14.99'), at('15')]).toEqual(['Refund €14.99', 'Ask for approval']);
  });

  it('says why to the approver, or with the refund', () => {
    const noted = { ...draft, note: ' Arrived broken.\n' };
    const asked = refundChoice(sold, noted, { ...free, most: 1, approvers: ['Anna Admin'] });
    expect(asked.submit(3)).toMatchObject({ to: 'ask', body: { note: 'Arrived broken.' } });
    expect(refundChoice(sold, noted, free).submit(3)).toMatchObject({
      body: { metadata: { note: 'Arrived broken.' } },
    });
  });

  it('names no action before the rule is known', () => {
    const unread = { ...free, isKnown: false };
    expect(refundChoice(sold, draft, unread).button).toBe('Refund');
  });

  it('says what the person may refund alone, and who approves more', () => {
    const bound = { ...free, most: 10, approvers: ['Anna Admin', 'Olga Owner'] };
    expect(boundText(free, 'EUR', false)).toBeNull();
    expect(boundText(bound, 'EUR', false)).toBe('Alone you may refund €10.00 now. ');
    expect(boundText(bound, 'EUR', true)).toMatch(/may approve it: Anna Admin, Olga Owner\.$/);
    expect(boundText({ ...bound, approvers: [] }, 'EUR', true)).toMatch(/nobody else here/);
  });

  it('takes the smaller one of a refund’s limit and of what is left of the day', () => {
    const rule = {
      isBounded: true,
      limits: [{ currency: 'EUR', perRefund: 20, perDay: 30 }],
      otherCurrencies: null,
      used: [] as { currency: string; amount: number }[],
    } as unknown as RefundRule;
    const mostOnceUsed = (amount: number) =>
      limitWithoutApproval({ ...rule, used: [{ currency: 'EUR', amount }] } as RefundRule, 'EUR');
    expect([0, 10, 20, 40].map(mostOnceUsed)).toEqual([20, 20, 10, 0]);
    expect(limitWithoutApproval(rule, 'JPY')).toBe(0);
    expect(limitWithoutApproval({ ...rule, isBounded: false }, 'EUR')).toBeNull();
  });
});

describe('a refund request', () => {
  const request = {
    amount: 40,
    currency: 'EUR',
    status: 'waiting',
    requestedBy: { userId: 'sara', name: 'Sara Support', email: 'sara@example.test' },
  } as RefundRequest;
  const signIn = (id: string) => {
    person.value = { id } as typeof person.value;
  };

  it('is decided by owners and admins, by finance where the rule says so, never by who asked', () => {
    const may = (role: Merchant['role'], financeApproves = false) =>
      mayDecide(request, { role } as Merchant, { financeApproves } as RefundRule);
    signIn('anna');
    expect(roles.filter((role) => may(role)).sort()).toEqual(['admin', 'owner']);
    expect(roles.filter((role) => may(role, true)).sort()).toEqual(['admin', 'finance', 'owner']);
    signIn('sara');
    expect(roles.filter((role) => may(role, true))).toEqual([]);
    expect(isOwnRequest(request)).toBe(true);
  });

  it('is approved, declined or taken back, with sum and name in the question', () => {
    signIn('anna');
    const approve = dialogTexts(request, 'approve');
    expect(approve).toMatchObject({ title: 'Approve €40.00', verb: 'approve' });
    expect(approve.text).toMatch(/^Refunds €40\.00 to the buyer .* Sara Support asked for it/);
    expect(dialogTexts(request, 'decline')).toMatchObject({ title: 'Decline', verb: 'decline' });
    signIn('sara');
    expect(dialogTexts(request, 'decline').title).toBe('Take it back');
  });

  it('tells how it ended', () => {
    const ended = (given: Partial<RefundRequest>) => outcomeSentence({ ...request, ...given });
    const approved = (refundStatus: RefundRequest['refundStatus']) =>
      ended({ status: 'approved', refundStatus });
    signIn('anna');
    expect(approved('succeeded')).toBe('Approved: €40.00 refunded.');
    expect(approved('refund_failed')).toMatch(/was refused: nothing was refunded/);
    expect(approved('processing')).toMatch(/is on its way\.$/);
    expect(ended({ status: 'declined' })).toBe('Declined: nothing was refunded.');
    signIn('sara');
    expect(ended({ status: 'declined' })).toBe('Withdrawn: nothing was refunded.');
  });
});

it('every sum of the timeline is written in one way, whoever wrote the sentence', () => {
  const entry = (given: Partial<TimelineEntry>) =>
    ({ at: '2026-11-01T10:00:00Z', paymentId: 'pay', actor: null, ...given }) as TimelineEntry;
  const actor = { userId: 'olga', name: 'Olga 1 EUR' } as TimelineEntry['actor'];
  const text = 'Olga 1 EUR asked to capture 1079.50 EUR.';
  const told = describeEntries(
    [
      entry({ kind: 'operation', type: 'capture', actor, text }),
      entry({ kind: 'operation', type: 'capture', actor, text, paymentId: 'gone' }),
      entry({ kind: 'status', type: 'refund', status: 'succeeded', paymentId: 'back', text: '' }),
    ],
    [
      { ...sold, id: 'pay', amount: 1079.5 },
      { ...sold, id: 'back', type: 'refund', amount: 79.5 },
    ],
  );
  expect(told.map((each) => each.text)).toEqual([
    'Olga 1 EUR asked to capture €1,079.50.',
    text,
    '€79.50 was refunded',
  ]);
});
