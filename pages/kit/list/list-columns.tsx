// The choice of a list's columns, stored in its address, and of the height of rows, stored in the browser.

import { Menu } from '../parts/bits.tsx';
import type { AddressQuery, Change } from './list-address.ts';
import { useIsNarrowScreen } from './list-cards.tsx';
import type { ListSpec } from './list-spec.ts';
import { columnsOf, hasDenseRows, rowsKey } from './list-table.tsx';

function chooseRows(isDense: boolean): void {
  hasDenseRows.value = isDense;
  try {
    if (isDense) localStorage.setItem(rowsKey, 'dense');
    else localStorage.removeItem(rowsKey);
  } catch {
    // The choice then lasts only for this page.
  }
}

const RowHeights = () => (
  <fieldset class="menu-picks">
    <legend>Rows</legend>
    {(['Comfortable', 'Dense'] as const).map((name) => (
      <label key={name} class="check">
        <input
          type="radio"
          name="row-height"
          checked={hasDenseRows.value === (name === 'Dense')}
          onChange={() => chooseRows(name === 'Dense')}
        />
        {name}
      </label>
    ))}
  </fieldset>
);

type ChooserProps<T> = { spec: ListSpec<T>; asked: AddressQuery; change: Change };

export function ColumnChooser<T>({ spec, asked, change }: ChooserProps<T>) {
  // Cards have no columns.
  if (useIsNarrowScreen()) return null;
  const shown = columnsOf(spec, asked).map(({ id }) => id);
  const toggleColumn = (id: string) => {
    const next = shown.includes(id) ? shown.filter((each) => each !== id) : [...shown, id];
    const isUsual = next.join() === spec.shown.join();
    if (next.length > 0) change({ columns: isUsual ? null : next.join(',') });
  };
  return (
    <Menu label="Columns">
      {() => (
        <>
          <RowHeights />
          <fieldset class="menu-picks">
            <legend>Columns</legend>
            {spec.columns.map(({ id, title }) => (
              <label key={id} class="check">
                <input
                  type="checkbox"
                  checked={shown.includes(id)}
                  disabled={shown.length === 1 && shown.includes(id)}
                  onChange={() => toggleColumn(id)}
                />
                {title}
              </label>
            ))}
          </fieldset>
        </>
      )}
    </Menu>
  );
}
