import { describe, expect, it } from 'vitest';
import { amount, amountOrNull, column, derived, rowShape } from './row-shape.ts';

type Order = {
  readonly id: string;
  readonly paidMinor: number;
  readonly tipMinor: number | null;
  readonly buyer: string | null;
  readonly place: { readonly city: string; readonly country: string };
};

const shape = rowShape<Order>({
  id: column('id'),
  paidMinor: amount('paid_minor'),
  tipMinor: amountOrNull('tip_minor'),
  buyer: column('buyer', '(select b.name from buyers b where b.id = o.buyer_id)'),
  place: derived(['city', 'country'], (row) => ({
    city: row.city as string,
    country: row.country as string,
  })),
});

describe('rowShape', () => {
  it('selects each column of the table by its alias, and expressions as they are', () => {
    expect(shape.columns('o')).toBe(
      'o.id, o.paid_minor, o.tip_minor, (select b.name from buyers b where b.id = o.buyer_id) as buyer, o.city, o.country',
    );
  });

  it('reads a row: amounts as numbers, null as null, several columns as one value', () => {
    const row = {
      id: 'a',
      paid_minor: '1490',
      tip_minor: null,
      buyer: 'Ada',
      city: 'Ulm',
      country: 'DE',
    };
    expect(shape.read({ ...row, more: 'than asked for' })).toEqual({
      id: 'a',
      paidMinor: 1490,
      tipMinor: null,
      buyer: 'Ada',
      place: { city: 'Ulm', country: 'DE' },
    });
    expect(shape.read({ ...row, tip_minor: '200' }).tipMinor).toBe(200);
  });
});
