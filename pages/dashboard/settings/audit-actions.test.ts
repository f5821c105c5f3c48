// The audit log's filter offers every action that the service writes for a merchant.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/rows/row';
import type { AuditEntry } from '@svc/contract/settings/audit-log';
import { describe, expect, it } from 'vitest';
import { accountActions, changesOf } from '../../kit/audit/audit-words.ts';
import { merchantActions, merchantActionWords } from './audit-actions.ts';
import { withMoney } from './audit-money.ts';
import { aboutWords, actorWords, merchantField, merchantValue } from './audit-values.ts';

const service = join(import.meta.dirname, '../../../service/src');

/** The operator's own, of no merchant. */
const ofOperator = ['installation.decided', 'service_key.replaced'];
const elsewhere = [...accountActions, ...ofOperator];

const sources = () =>
  readdirSync(service, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(service, name), 'utf8'));

describe('the actions of a merchant’s audit log', () => {
  it('are all that the service writes, by name or by the beginning of one', () => {
    const written = sources().flatMap((text) => [
      ...text.matchAll(/\baction: (?:'([a-z_]+\.[a-z_]+)'|`([a-z_]+\.)\$\{)/g),
    ]);
    const inBulk = Object.values<RowShape>(rows).flatMap(({ bulk }) => bulk?.action ?? []);
    const names = new Set([...written.flatMap(([, name]) => name ?? []), ...inBulk]);
    expect(names.size).toBeGreaterThan(50);
    const missing = [...names].filter(
      (name) => !elsewhere.includes(name) && !merchantActions.includes(name),
    );
    expect(missing).toEqual([]);
    const beginnings = new Set(written.flatMap(([, , beginning]) => beginning ?? []));
    expect([...beginnings].sort()).toEqual(['refund_request.', 'unknown_money.']);
    const kept = merchantActions.filter((name) => !names.has(name));
    expect(kept.filter((name) => ![...beginnings].some((each) => name.startsWith(each)))).toEqual([
      'payment.capture_asked',
      'payment.cancel_asked',
      'payment.refund_asked',
      // The name of the event that the end of a subscription emits.
      'subscription.cancellation_scheduled',
      'subscription.resumed',
      'subscription.canceled',
    ]);
  });

  it('have words of their own only for actions that the filter offers', () => {
    const unknown = Object.keys(merchantActionWords).filter(
      (name) => !merchantActions.includes(name),
    );
    expect(unknown).toEqual([]);
    expect(new Set(merchantActions).size).toBe(merchantActions.length);
  });
});

it('sums are written with their currency, also within lists', () => {
  expect(withMoney({ state: 'succeeded', amountMinor: 2500, currency: 'JPY' })).toEqual({
    state: 'succeeded',
    amount: '¥2,500',
  });
  const prices = [{ currency: 'EUR', amount: 19.9 }];
  expect(withMoney({ code: 'mug', prices })).toEqual({
    code: 'mug',
    prices: [{ amount: '€19.90' }],
  });
  expect(withMoney({ role: 'admin', name: null })).toEqual({ role: 'admin', name: null });
  expect(withMoney({ limits: [{ currency: 'EUR', perRefund: 200, perDay: 1000 }] })).toEqual({
    limits: [{ perRefund: '€200.00', perDay: '€1,000.00' }],
  });
});

it('no field and no value is told as the API names it', () => {
  expect(['isLive', 'refundId', 'logoUrl', 'redirectUris', 'userId'].map(merchantField)).toEqual([
    ...['Live', 'Refund', 'Logo URL', 'Redirect addresses', 'Person'],
  ]);
  const told = (field: string, value: unknown) =>
    changesOf(null, { [field]: value }, { zone: 'Europe/Berlin', say: merchantValue })[0]?.after;
  expect(told('status', 'partially_refunded')).toBe('partially refunded');
  expect(told('proof', 'password_totp')).toBe('password and code of the authenticator');
  expect(told('newKeys', ['secretKey', 'noticeSecret'])).toBe('Secret key, Notice secret');
  expect(told('expiresAt', '2026-11-26T11:42:00.000Z')).toBe('26 Nov 2026, 12:42');
  expect(told('buyerMails', { receipt: true, refund: false, cardExpires: true })).toBe(
    'Receipt, Card expires',
  );
  expect(told('filters', 'status[eq]=refund_failed&amount=10..50')).toBe(
    'Status is refund failed; Amount is 10..50',
  );
  expect(told('limits', [{ perRefund: '€200.00', perDay: '€1,000.00' }])).toBe(
    'per refund €200.00 per day €1,000.00',
  );
  // A product's code is the merchant's own.
  expect(told('code', 'coffee_beans')).toBe('coffee_beans');
});

describe('what stands in a row', () => {
  const person = { kind: 'person', userId: 'u1', email: 'ada@shop.example' };
  const about = (type: string, id: string, after: object | null = null) =>
    aboutWords({ resource: { type, id }, before: null, after } as AuditEntry);

  const who = (given: object) => actorWords({ ...person, ...given } as AuditEntry['actor']);

  it('who: the person, and the program that acted in their name', () => {
    expect(who({})).toBe('ada@shop.example');
    expect(who({ kind: 'api_token', tokenName: 'Till' })).toBe('ada@shop.example · API token Till');
    expect(who({ kind: 'oauth', applicationName: 'Books' })).toBe('ada@shop.example · Books');
    expect(who({ kind: 'operator', userId: null, email: null })).toBe('Operator');
    expect(who({ kind: 'customer' })).toBe('The customer, by a link of ada@shop.example');
  });

  it('on what: its name, its code, or the end of its id', () => {
    expect(about('api_token', 'x', { name: 'Till' })).toBe('API token Till');
    expect(about('product', 'mug', { name: '' })).toBe('Product mug');
    expect(about('payment', '01a2008c-4652-7000-93ae-f2e2fd899c68')).toBe('Payment …899c68');
    expect(about('client', 'x', { businessName: 'Beans' })).toBe('Business');
  });
});
