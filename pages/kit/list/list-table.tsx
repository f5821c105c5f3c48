// A list as a table, with real links, and with sorting where the API can sort.

import { type Signal, signal } from '@preact/signals';
import type { Merchant } from '../merchant.ts';
import { type Choice, ChooseAll, ChooseRow } from './choosing.tsx';
import type { AddressQuery, Change } from './list-address.ts';
import type { Column, ListSpec } from './list-spec.ts';

export const rowsKey = 'svc.dashboard.rows';

function readDense(): boolean {
  try {
    return localStorage.getItem(rowsKey) === 'dense';
  } catch {
    return false;
  }
}

/** True when the reader has chosen dense rows in this browser. */
export const hasDenseRows: Signal<boolean> = signal(readDense());

/** Returns the shown columns, in the order of the address or of the list. */
export function columnsOf<T>(spec: ListSpec<T>, asked: AddressQuery): readonly Column<T>[] {
  const ids = asked.columns ?? spec.shown;
  return ids.flatMap((id) => spec.columns.find((column) => column.id === id) ?? []);
}

const cellClassOf = <T,>({ isNumber, isShort }: Column<T>) =>
  isNumber ? 'number' : isShort ? 'short' : '';

type TableProps<T> = {
  readonly spec: ListSpec<T>;
  readonly asked: AddressQuery;
  readonly rows: readonly T[];
  readonly merchant: Merchant;
  readonly change: Change;
  readonly choice: Choice<T> | null;
};

export function ListTable<T>({ spec, asked, rows, merchant, change, choice }: TableProps<T>) {
  const columns = columnsOf(spec, asked);
  return (
    <div class="table-box">
      <table aria-label={spec.title} class={hasDenseRows.value ? 'dense' : ''}>
        <thead>
          <tr>
            {choice && (
              <th scope="col">
                <ChooseAll choice={choice} rows={rows} />
              </th>
            )}
            {columns.map((column) => (
              <Head key={column.id} column={column} asked={asked} change={change} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={spec.keyOf(row)}>
              {choice && (
                <td>
                  <ChooseRow choice={choice} row={row} />
                </td>
              )}
              {columns.map((column, place) => (
                <td key={column.id} class={cellClassOf(column)}>
                  {place === 0 ? (
                    <a class="row-link" href={spec.hrefOf(row, merchant)}>
                      {column.cell(row, merchant)}
                      <span class="unseen"> {spec.aboutOf(row)}</span>
                    </a>
                  ) : (
                    column.cell(row, merchant)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type HeadProps<T> = { column: Column<T>; asked: AddressQuery; change: Change };

function Head<T>({ column: { title, sort, isNumber }, asked, change }: HeadProps<T>) {
  const looks = isNumber ? 'number' : '';
  if (sort === undefined) {
    return (
      <th scope="col" class={looks}>
        {title}
      </th>
    );
  }
  const isSorted = asked.sort.replace(/^-/, '') === sort;
  const isDown = asked.sort.startsWith('-');
  const turned = isSorted && isDown ? sort : `-${sort}`;
  return (
    <th
      scope="col"
      class={looks}
      aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" class="sort" onClick={() => change({ sort: turned })}>
        {title}
        <span aria-hidden="true">{isSorted ? (isDown ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  );
}
