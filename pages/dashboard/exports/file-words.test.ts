// What a kept file holds, in words.

import { paymentColumns } from '@svc/contract/reports/exports';
import { describe, expect, it } from 'vitest';
import { fileColumnWords, fileFilterWords } from './file-words.ts';

const words = (filters: string) => fileFilterWords(filters, 'Europe/Berlin');

describe('the filters of a file', () => {
  it('are worded as the list words them', () => {
    expect(
      words(
        'status[in]=failed,succeeded&type[eq]=purchase&amount[gte]=10&amount[lte]=20&email[startsWith]=ada',
      ),
    ).toEqual([
      'Status: Failed or Succeeded',
      'Type: Purchase',
      'Amount: 10 to 20',
      'Email: begins with ada',
    ]);
    expect(words('amount[eq]=19.90&lastFour[eq]=4242&metadata.order[eq]=4711')).toEqual([
      'Amount: 19.90',
      'Last four digits: 4242',
      'Metadata order: 4711',
    ]);
    expect(words('')).toEqual([]);
  });

  it('are days of the merchant where they are whole ones, and times where they are not', () => {
    const from = 'createdAt[gte]=2026-10-31T23:00:00.000Z';
    expect(words(`${from}&createdAt[lt]=2026-11-30T23:00:00.000Z`)).toEqual([
      'Created: 2026-11-01 to 2026-11-30',
    ]);
    expect(words(`${from}&createdAt[lt]=2026-11-01T23:00:00.000Z`)).toEqual([
      'Created: 2026-11-01',
    ]);
    expect(words(from)).toEqual(['Created: from 2026-11-01']);
    expect(words('createdAt[lt]=2026-11-30T23:00:00.000Z')).toEqual(['Created: until 2026-11-30']);
    expect(words('createdAt[gte]=2026-11-01T08:30:00.000Z')).toEqual([
      'Created: from 1 Nov 2026, 09:30',
    ]);
  });

  it('that only programs make stand as the API has them', () => {
    expect(words('amount[gt]=5&colour[eq]=red')).toEqual(['Amount: gt 5', 'colour: eq red']);
  });
});

describe('the columns of a file', () => {
  it('are named where some are missing, whichever are fewer', () => {
    expect(fileColumnWords(paymentColumns)).toBeNull();
    expect(fileColumnWords(['id', 'amount', 'currency'])).toBe('Payment id, Amount, Currency');
    const most = paymentColumns.filter((name) => name !== 'fee' && name !== 'metadata');
    expect(fileColumnWords(most)).toBe('all but Fee, Metadata');
  });
});
