// The list component of the dashboard: shows what the address asks for as a table, or as cards on a phone.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListPage } from '../calls.ts';
import { readAt } from '../calls.ts';
import { useMerchant } from '../merchant.ts';
import { serviceTime } from '../parts/sandbox-clock.tsx';
import { Bones, Empty, Trouble } from '../parts/states.tsx';
import { type ReadState, useRead, useRepeat } from '../read.ts';
import { place, query } from '../router.ts';
import { countedNoun } from '../words.ts';
import { useChoice } from './choosing.tsx';
import { ExportDialog, type ExportProps } from './export-dialog.tsx';
import {
  type AddressQuery,
  addressWith,
  type Change,
  filtersOf,
  requestOf,
} from './list-address.ts';
import { Cards, useIsNarrowScreen } from './list-cards.tsx';
import { ColumnChooser } from './list-columns.tsx';
import { Filters, focusAddFilter, readPageAddress } from './list-filters.tsx';
import { NewsButton, useListNews } from './list-news.tsx';
import { Pages } from './list-pages.tsx';
import type { ListSpec } from './list-spec.ts';
import { ListTable } from './list-table.tsx';
import { ListTotals } from './list-totals.tsx';
import { SavedViews } from './saved-views.tsx';

/** The cursors of visited pages: with a cursor the service reads a deep page without counting rows. */
const cursors = new Map<string, string>();

type Reading<T> = { readonly read: ReadState<ListPage<T>>; readonly request: string };

function useListPage<T>(spec: ListSpec<T>, asked: AddressQuery): Reading<T> {
  const { clientId, zone } = useMerchant();
  const request = requestOf(asked, spec, zone, serviceTime());
  const key = `${clientId} ${request}`;
  const read = async () => {
    const cursor = cursors.get(`${key} ${asked.page}`);
    const from = cursor ? `cursor=${encodeURIComponent(cursor)}` : `page=${asked.page}`;
    const listed = await readAt<ListPage<T>>(`${request}&${from}`, { clientId });
    if (listed.nextCursor) cursors.set(`${key} ${asked.page + 1}`, listed.nextCursor);
    return listed;
  };
  return { read: useRead(`${key} ${asked.page}`, read), request };
}

type ListProps<T> = {
  readonly spec: ListSpec<T>;
  /** Links to lists of the same subject, in the line of the views. */
  readonly tabs?: ComponentChildren;
};

export function List<T>({ spec, tabs }: ListProps<T>) {
  const { zone } = useMerchant();
  const { asked, change } = readPageAddress(spec);
  const { read, request } = useListPage(spec, asked);
  const news = useListNews(spec, { read, request });
  const isUnderWay = read.content?.data.some((row) => spec.isUnderWay?.(row)) ?? false;
  useRepeat(read.again, 3_000, isUnderWay);
  const path = place.value;
  const { content, failure } = read;
  const filters = filtersOf(asked, spec, zone, serviceTime()).toString();
  const readFirstAnew = () => {
    if (asked.page > 1) change({ page: null });
    else void read.again();
  };
  return (
    <div class="list">
      <div class="list-bar">
        {tabs}
        {spec.views && <Views spec={spec} path={path} />}
        {spec.viewed && <SavedViews list={spec.viewed} asked={asked} path={path} />}
        <Filters filters={spec.filters} asked={asked} change={change} />
        <div class="list-acts">
          <ColumnChooser spec={spec} asked={asked} change={change} />
          {spec.file && content && (
            <Export file={spec.file} noun={spec.noun} filters={filters} total={content.total} />
          )}
        </div>
      </div>
      <UnknownParameters asked={asked} path={path} />
      {failure && <Trouble failure={failure} onRetry={read.again} />}
      {content ? (
        <>
          <div class={spec.hasSums ? 'list-summary with-sums' : 'list-summary'}>
            <Total spec={spec} read={read} total={content.total} />
            {spec.hasSums && (
              <ListTotals filters={filters} listed={content} changed={news.changed} />
            )}
          </div>
          <NewsButton count={news.count} noun={spec.noun} onPress={readFirstAnew} />
          {spec.above?.(content.data)}
          <Rows
            spec={spec}
            asked={asked}
            read={read}
            listed={withChanges(spec, content, news.changed)}
            change={change}
          />
        </>
      ) : (
        !failure && <Bones />
      )}
    </div>
  );
}

/** Replaces the changed rows of the page in place. */
const withChanges = <T,>(
  spec: ListSpec<T>,
  listed: ListPage<T>,
  changed: ReadonlyMap<string, T>,
): ListPage<T> =>
  changed.size === 0
    ? listed
    : { ...listed, data: listed.data.map((row) => changed.get(spec.keyOf(row)) ?? row) };

type ExportButtonProps = Omit<ExportProps, 'onClose'>;

/** What the list shows, all of its pages, as a file. */
function Export(given: ExportButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="second" onClick={() => setOpen(true)}>
        Export
      </button>
      {isOpen && <ExportDialog {...given} onClose={() => setOpen(false)} />}
    </>
  );
}

type TotalProps<T> = Pick<RowsProps<T>, 'spec' | 'read'> & { readonly total: number };

function Total<T>({ spec, read, total }: TotalProps<T>) {
  const { zone } = useMerchant();
  return (
    <p class="list-total">
      <span role="status">
        {read.isCurrent
          ? countedNoun(total, spec.noun)
          : read.isReading
            ? 'Reading'
            : 'Not updated: these rows are from an earlier read'}
      </span>
      <span class="fine">All times {zone}</span>
    </p>
  );
}

type RowsProps<T> = {
  readonly spec: ListSpec<T>;
  readonly asked: AddressQuery;
  readonly read: ReadState<ListPage<T>>;
  readonly listed: ListPage<T>;
  readonly change: Change;
};

function Rows<T>({ spec, asked, read, listed, change }: RowsProps<T>) {
  const merchant = useMerchant();
  const isNarrow = useIsNarrowScreen();
  const top = useTopOfPage(asked.page);
  const { data, total } = listed;
  const choice = useChoice(spec, data);
  const ChosenBar = spec.choosing?.bar;
  return (
    <div aria-busy={read.isReading && !read.isCurrent} ref={top}>
      {data.length === 0 && <NoRows spec={spec} asked={asked} change={change} total={total} />}
      {data.length > 0 &&
        (isNarrow ? (
          <Cards spec={spec} rows={data} merchant={merchant} choice={choice} />
        ) : (
          <ListTable
            spec={spec}
            asked={asked}
            rows={data}
            merchant={merchant}
            change={change}
            choice={choice}
          />
        ))}
      {choice && ChosenBar && (
        <ChosenBar
          chosen={choice.chosen}
          again={read.again}
          clear={() => choice.set(data, false)}
        />
      )}
      {data.length > 0 && <Pages asked={asked} listed={listed} change={change} />}
    </div>
  );
}

/** Scrolls to the top when another page of the list is shown. */
function useTopOfPage(page: number) {
  const top = useRef<HTMLDivElement>(null);
  const last = useRef(page);
  useEffect(() => {
    if (last.current !== page) top.current?.scrollIntoView({ block: 'nearest' });
    last.current = page;
  }, [page]);
  return top;
}

type NoRowsProps<T> = Pick<RowsProps<T>, 'spec' | 'asked' | 'change'> & { readonly total: number };

function NoRows<T>({ spec, asked, change, total }: NoRowsProps<T>) {
  const merchant = useMerchant();
  if (total > 0) {
    return (
      <Empty title={`There is no page ${asked.page}`}>
        <button type="button" class="second" onClick={() => change({ page: null })}>
          Go to the first page
        </button>
      </Empty>
    );
  }
  const count = asked.filters.size;
  if (count === 0) return <>{spec.empty(merchant)}</>;
  const cleared = Object.fromEntries([...asked.filters.keys()].map((name) => [name, null]));
  return (
    <Empty title={`Nothing matches ${count === 1 ? 'this filter' : `these ${count} filters`}`}>
      <button
        type="button"
        class="second"
        onClick={() => {
          focusAddFilter();
          change(cleared);
        }}
      >
        Clear {count === 1 ? 'it' : 'them'}
      </button>
    </Empty>
  );
}

function Views<T>({ spec, path }: { spec: ListSpec<T>; path: string }) {
  const now = [...new URLSearchParams(query.value)]
    .filter(([name]) => spec.filters.some((filter) => filter.name === name))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return (
    <nav class="tabs" aria-label={`Views of ${spec.title.toLowerCase()}`}>
      {spec.views?.map((view) => (
        <a
          key={view.title}
          href={view.query ? `${path}?${view.query}` : path}
          {...(decodeURIComponent(view.query) === now ? { 'aria-current': 'page' as const } : {})}
        >
          {view.title}
        </a>
      ))}
    </nav>
  );
}

/** Names the parameters of the address that this list does not support. */
function UnknownParameters({ asked, path }: { asked: AddressQuery; path: string }) {
  const { unknown, wrong } = asked;
  const names = [...unknown, ...wrong];
  if (names.length === 0) return null;
  const without = Object.fromEntries(names.map((name) => [name, null]));
  return (
    <div class="notice caution" role="alert">
      <div>
        {unknown.length > 0 && (
          <p>This list does not know {unknown.join(', ')}: the address is shown without it.</p>
        )}
        {wrong.length > 0 && (
          <p>The value of {wrong.join(', ')} is not valid: the list is shown without it.</p>
        )}
        <a href={addressWith(path, asked, without)}>Remove it from the address</a>
      </div>
    </div>
  );
}
