// The choice of rows of a list: a checkbox for each, and one for all rows of the page.

import { useState } from 'preact/hooks';
import { mayDo, useMerchant } from '../merchant.ts';
import type { ListSpec } from './list-spec.ts';

/** The chosen rows of the shown page; null where the list has no choice, or the person may not act on it. */
export type Choice<T> = {
  readonly chosen: readonly T[];
  readonly has: (row: T) => boolean;
  readonly set: (rows: readonly T[], isChosen: boolean) => void;
  readonly nameOf: (row: T) => string;
};

export function useChoice<T>(spec: ListSpec<T>, rows: readonly T[]): Choice<T> | null {
  const merchant = useMerchant();
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const { choosing, keyOf } = spec;
  if (!choosing || !mayDo(merchant, choosing.permission)) return null;
  return {
    // A row that left the page is not acted on: nobody sees any more that it is chosen.
    chosen: rows.filter((row) => keys.has(keyOf(row))),
    has: (row) => keys.has(keyOf(row)),
    set: (changed, isChosen) => {
      const next = new Set(rows.map(keyOf).filter((key) => keys.has(key)));
      for (const row of changed) {
        if (isChosen) next.add(keyOf(row));
        else next.delete(keyOf(row));
      }
      setKeys(next);
    },
    nameOf: choosing.nameOf,
  };
}

type BoxProps<T> = { readonly choice: Choice<T>; readonly row: T };

export const ChooseRow = <T,>({ choice, row }: BoxProps<T>) => (
  <input
    type="checkbox"
    class="choose"
    aria-label={`Choose ${choice.nameOf(row)}`}
    checked={choice.has(row)}
    onChange={({ currentTarget }) => choice.set([row], currentTarget.checked)}
  />
);

type AllProps<T> = { readonly choice: Choice<T>; readonly rows: readonly T[] };

export function ChooseAll<T>({ choice, rows }: AllProps<T>) {
  const count = choice.chosen.length;
  return (
    <input
      type="checkbox"
      class="choose"
      aria-label="Choose all rows of this page"
      checked={count > 0 && count === rows.length}
      ref={(box) => {
        if (box) box.indeterminate = count > 0 && count < rows.length;
      }}
      onChange={({ currentTarget }) => choice.set(rows, currentTarget.checked)}
    />
  );
}
