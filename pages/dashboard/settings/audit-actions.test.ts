// The audit log's filter offers every action that the service writes for a merchant.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/rows/row';
import { describe, expect, it } from 'vitest';
import { accountActions } from '../../kit/audit/audit-words.ts';
import { merchantActions, merchantActionWords } from './audit-actions.ts';
import { withMoney } from './audit-money.ts';

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
});
