// The page buttons of a list, and the choice of rows per page.

import { useId } from 'preact/hooks';
import type { ListPage } from '../calls.ts';
import { place } from '../router.ts';
import { type AddressQuery, addressWith, type Change, limits } from './list-address.ts';

type PagesProps = {
  readonly asked: AddressQuery;
  readonly listed: ListPage<unknown>;
  readonly change: Change;
};

export function Pages({ asked, listed, change }: PagesProps) {
  const id = useId();
  const { page, limit } = asked;
  const path = place.value;
  const last = Math.max(1, Math.ceil(listed.total / limit));
  const pageAddress = (number: number) =>
    addressWith(path, asked, { page: number === 1 ? null : String(number) });
  return (
    <div class="pages">
      <nav aria-label="Pages" class="ways">
        {page > 1 && (
          <a class="second" rel="prev" href={pageAddress(page - 1)}>
            Previous
          </a>
        )}
        {page < last && (
          <a class="second" rel="next" href={pageAddress(page + 1)}>
            Next
          </a>
        )}
        {last > 1 && (
          <span class="fine">
            Page {page} of {last}
          </span>
        )}
      </nav>
      <p class="fine">
        <label for={id}>Rows a page</label>{' '}
        <select
          id={id}
          value={String(limit)}
          onChange={({ currentTarget }) => change({ limit: currentTarget.value })}
        >
          {limits.map((each) => (
            <option key={each} value={each} selected={each === limit}>
              {each}
            </option>
          ))}
        </select>
      </p>
    </div>
  );
}
