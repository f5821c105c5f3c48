// Which lists a search reads, and that it never sends a card number.

import { describe, expect, it } from 'vitest';
import { cardNumberIn, kindOf } from './search-kinds.ts';

const searchesFor = (text: string) => {
  const kind = kindOf(text);
  return kind.kind === 'asked' ? kind.asks.map(({ part, filters }) => [part, filters]) : kind;
};

describe('kindOf', () => {
  it.each([
    '4242424242424242',
    '4242 4242 4242 4242',
    '4242-4242-4242-4242',
    'card 4000.0000.0000.0002 please',
    '378282246310005',
    '6011 0009 9013 9424',
    '4000008260000000008',
  ])('%s is a card number, of which four digits stay', (text) => {
    const lastFour = text.replace(/\D/g, '').slice(-4);
    expect(cardNumberIn(text)).toBe(lastFour);
    expect(kindOf(text)).toEqual({ kind: 'card_number', lastFour });
  });

  it('a card number beside other digits is asked for nowhere either', () => {
    for (const text of [
      '4242 4242 4242 4242 12/34',
      '4242  4242  4242  4242',
      '4242/4242/4242/4242',
    ]) {
      expect(kindOf(text), text).toMatchObject({ kind: 'card_number' });
    }
  });

  it('asks for a reference what has the form of one, in capitals', () => {
    const references = (text: string) =>
      JSON.stringify(searchesFor(text)).match(/"reference":"[^"]*"/g) ?? [];
    expect(references('bb7f-3k2q')).toEqual(['"reference":"BB7F-3K2Q"']);
    expect(references('Ada Lovelace')).toEqual([]);
  });

  it.each(['4242424242424241', '4242', '424242424242', '01a219a4-913f-7000-bd17-976524ec3b74'])(
    '%s is none',
    (text) => {
      expect(cardNumberIn(text)).toBeNull();
    },
  );

  it.each([
    ['14,90', { amount: '14.90' }],
    ['€14.90', { amount: '14.90', currency: 'EUR' }],
    ['¥ 2500', { amount: '2500', currency: 'JPY' }],
    ['¥5,000', { amount: '5000', currency: 'JPY' }],
    ['5.000 JPY', { amount: '5000', currency: 'JPY' }],
    ['€1.234,56', { amount: '1234.56', currency: 'EUR' }],
    ['1,234.56', { amount: '1234.56' }],
    ['1.234,56 €', { amount: '1234.56', currency: 'EUR' }],
    ["1'234'567.50", { amount: '1234567.50' }],
    ['1 234,50', { amount: '1234.50' }],
    ['eur 14.90', { amount: '14.90', currency: 'EUR' }],
    ['€1,234', { amount: '1234', currency: 'EUR' }],
    ['KWD 1.234', { amount: '1.234', currency: 'KWD' }],
    ['ch_3Abc', { gatewayChargeId: 'ch_3Abc' }],
    ['yesterday', { createdAt: 'yesterday' }],
    ['Last month', { createdAt: 'last-month' }],
    ['2026-11-26', { createdAt: '2026-11-26' }],
    ['ada@example.com', { email: 'ada@example.com' }],
  ])('%s asks the payments first', (text, filters) => {
    expect(searchesFor(text)).toContainEqual(['payments', filters]);
  });

  it('takes four digits for the end of a card, an amount and an order', () => {
    expect(searchesFor('1007')).toEqual([
      ['payments', { lastFour: '1007' }],
      ['payments', { amount: '1007' }],
      ['payments', { metadata: '1007' }],
    ]);
  });

  it('takes three digits behind a mark for thousands, and for decimals where there may be three', () => {
    expect(searchesFor('1,234').slice(0, 2)).toEqual([
      ['payments', { amount: '1234' }],
      ['payments', { amount: '1.234' }],
    ]);
    expect(searchesFor('¥5,00')).not.toContainEqual([
      'payments',
      expect.objectContaining({ amount: '5.00' }),
    ]);
    expect(JSON.stringify(searchesFor('12 monkeys'))).not.toContain('amount');
    expect(searchesFor('TOP 5')).toContainEqual(['subscriptions', { productCode: 'TOP 5' }]);
    expect(JSON.stringify(searchesFor('1.23.4567'))).not.toContain('amount');
  });

  it('takes a word for the beginning of an email too, and an id for an order’s number', () => {
    expect(searchesFor('sofia')).toContainEqual(['customers', { email: 'sofia' }]);
    for (const text of ['sofia g', 'buyer@example.test 19.90', 'buyer@example.test\u00a0Ada']) {
      expect(JSON.stringify(searchesFor(text)), text).not.toContain('"email"');
    }
    const id = '01A219A4-913f-7000-bd17-976524ec3b74';
    expect(searchesFor(id)).toContainEqual(['payments', { metadata: id }]);
  });

  it('asks nothing of nothing', () => {
    expect(kindOf('  ')).toEqual({ kind: 'nothing' });
  });
});
