// The judge of the layer `operations` sees what it is there for.

import { expect, it } from 'vitest';
import type { LedgerEntry } from '../kit/provider-account.ts';
import type { Asked } from './buyers.ts';
import { type Bounds, type Evidence, judge } from './judge.ts';

const booked = (kind: string, intent = 'pi_1', payment = 'one'): LedgerEntry => ({
  ...{ kind, intent, amount: 1490, idempotencyKey: null, origin: 'api' },
  metadata: { session_id: 'of one buyer', payment_id: payment },
});
const asked = (kind: Asked['kind'], final: number | null, at = 1000): Asked => ({
  ...{ kind, key: kind, at, unanswered: 0, paymentId: 'one', final, endedAt: at },
  answers: [{ at, status: final ?? 503, code: null }],
});
const calm: Evidence = {
  ...{ begun: 0, from: 500, until: 2000, alarms: [], commandProblems: [] },
  asked: [asked('process', 200), asked('capture', 200)],
  ledger: [booked('authorize'), booked('capture')],
  ...{ known: new Map([['one', 'succeeded']]), named: new Set() },
  ...{ reconcile: 'all is well', audit: 'all is well' },
};
const bounds: Bounds = { tells: null, withinMs: 1500 };
const problems = (changed: Partial<Evidence>, other: Partial<Bounds> = {}) =>
  judge({ ...calm, ...changed }, { ...bounds, ...other }).problems;

it('a fault that nobody noticed has no problem', () => expect(problems({})).toEqual([]));

it.each<[string, Partial<Evidence>, Partial<Bounds>, string]>([
  ['a capture booked twice', { ledger: [...calm.ledger, booked('capture')] }, {}, 'captured twice'],
  [
    'one session paid by two intents',
    { ledger: [...calm.ledger, booked('authorize', 'pi_2'), booked('capture', 'pi_2')] },
    {},
    'session paid twice',
  ],
  [
    'a refund that nobody asked for',
    { ledger: [...calm.ledger, booked('refund')] },
    {},
    '1 refunds of 0',
  ],
  ['a client without an end', { asked: [...calm.asked, asked('refund', null)] }, {}, 'lost'],
  ['a client that was refused', { asked: [...calm.asked, asked('refund', 409)] }, {}, 'lost'],
  ['another status', { asked: [...calm.asked, asked('capture', 500)] }, {}, 'answered 500'],
  ['a capture that is gone', { known: new Map(), named: new Set(['pi_1']) }, {}, 'and gone'],
  ['a capture that is a hold again', { known: new Map([['one', 'authorized']]) }, {}, 'and gone'],
  [
    'money that nobody names',
    { known: new Map() },
    { losesRows: true },
    'svc reconcile does not name pi_1',
  ],
  ['no alert', {}, { tells: 'database_down' }, 'no alert database_down'],
  ['too long without a purchase', { until: 9000 }, {}, '8000 ms without a purchase'],
  ['a finding of a command', { commandProblems: ['svc audit: M1'] }, {}, 'svc audit: M1'],
])('%s', (_, changed, other, wanted) => {
  expect(problems(changed, other).join('\n')).toContain(wanted);
});

it('a 404 is no lost request where its payment is gone with the commits', () => {
  const gone = { asked: [asked('refund', 404)], known: new Map(), named: new Set(['pi_1']) };
  expect(problems(gone, { losesRows: true, withinMs: 2000 })).toEqual([]);
  const here = { asked: [asked('refund', 404)] };
  expect(problems(here, { losesRows: true, withinMs: 2000 }).join()).toContain('lost');
});
