// The column of a list that shows an instant.

import { InstantText } from '../parts/bits.tsx';
import type { Column } from './list-spec.ts';

type TimeColumn = {
  readonly id: string;
  readonly title: string;
  /** True when the API sorts by it. */
  readonly isSorted?: true;
};

/** The column of a list that shows an instant of its rows. */
export const timeColumn = <F extends string>(
  field: F,
  { isSorted, ...given }: TimeColumn,
): Column<{ readonly [name in F]: string | null }> => ({
  ...given,
  ...(isSorted ? { sort: field } : {}),
  cell: (row) => <InstantText at={row[field]} />,
});
