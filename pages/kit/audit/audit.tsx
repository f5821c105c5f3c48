// The audit log of a merchant, or of the person's own account: who did what and from where, with the values
// before and after.

import type { AuditEntry } from '@svc/contract/settings/audit-log';
import { useMemo, useRef, useState } from 'preact/hooks';
import { call, type ListPage } from '../calls.ts';
import { PagedRows } from '../list/row-list.tsx';
import { ActionButton } from '../parts/action-button.tsx';
import { SectionBox, TroubleAt } from '../parts/section-box.tsx';
import { WidePage } from '../parts/wide-page.tsx';
import { readAll } from '../read.ts';
import { Section } from '../section.ts';
import { entriesSpec } from './audit-entry.tsx';
import {
  type AuditFilter,
  filterOf,
  isEmpty,
  ownStartOf,
  queryOf,
  type StartOf,
  searchOf,
} from './audit-filter.ts';
import { AuditFilters, type Who } from './audit-filters.tsx';
import { type ActionWords, accountActions, csvOf } from './audit-words.ts';

type ReadEntries = (query: string) => Promise<ListPage<AuditEntry>>;

type LogProps = {
  readonly read: ReadEntries;
  readonly title: string;
  readonly intro: string;
  readonly actions: readonly string[];
  /** Texts of actions whose name alone does not tell what was done. */
  readonly words?: ActionWords;
  readonly who: Who;
  /** Returns when a day of the filter begins. */
  readonly startOf: StartOf;
};

/** The log of the person's own account, `/account/activity`. */
export const ActivityPage = () => (
  <WidePage title="Activity">
    <AuditLog
      read={(query) => call('GET /v1/account/audit-entries', {}, { query })}
      title="What happened in your account"
      intro="Sign-ins, passwords and passkeys, applications. If you do not recognise something, change your password and sign out everywhere else."
      actions={accountActions}
      who="self"
      startOf={ownStartOf}
    />
  </WidePage>
);

export function AuditLog(given: LogProps) {
  const { read, title, intro, actions, words = {}, who, startOf } = given;
  const [filter, setFilter] = useState(() => filterOf(location.search));
  const section = useMemo(
    () => new Section(() => read(`limit=50&${queryOf(filter, startOf)}`)),
    [filter],
  );
  const authors = useAuthors();
  const apply = (wanted: AuditFilter) => {
    history.replaceState(null, '', location.pathname + searchOf(wanted));
    setFilter(wanted);
  };
  return (
    <SectionBox section={section} title={title} intro={intro}>
      {(listed) => (
        <>
          <AuditFilters
            filter={filter}
            apply={apply}
            actions={actions}
            words={words}
            who={who}
            authors={authors(listed.data)}
          />
          <FoundEntries
            section={section}
            listed={listed}
            read={read}
            filter={filter}
            startOf={startOf}
            words={words}
          />
        </>
      )}
    </SectionBox>
  );
}

/** Gathers the people of the entries seen so far: those of one filter alone would be fewer. */
function useAuthors() {
  const seen = useRef(new Map<string, string>());
  return (entries: readonly AuditEntry[]): ReadonlyMap<string, string> => {
    for (const { actor } of entries) {
      if (actor.userId && actor.email) seen.current.set(actor.userId, actor.email);
    }
    return seen.current;
  };
}

type FoundProps = {
  section: Section<ListPage<AuditEntry>>;
  listed: ListPage<AuditEntry>;
  read: ReadEntries;
  filter: AuditFilter;
  startOf: StartOf;
  words: ActionWords;
};

function FoundEntries({ section, listed, read, filter, startOf, words }: FoundProps) {
  const { nextCursor } = listed;
  const readPiece = ({ cursor = null }: { readonly cursor?: string | null }) =>
    read(logQuery({ filter, startOf }, cursor));
  const save = () =>
    section.extend('csv', async () => {
      saveText('audit-log.csv', csvOf(await readAll(readPiece, mostSaved)));
      return listed;
    });
  return (
    <>
      <PagedRows
        spec={entriesSpec(words, isEmpty(filter) ? nothingYet : nothingFound)}
        section={section}
        listed={listed}
        readMore={nextCursor !== null && (() => readPiece({ cursor: nextCursor }))}
      >
        {listed.total > 0 && (
          <ActionButton section={section} at="csv" onAction={save}>
            Save as CSV
          </ActionButton>
        )}
      </PagedRows>
      <TroubleAt section={section} at="csv" />
    </>
  );
}

const nothingYet = {
  title: 'Nothing happened yet',
  text: (
    <p>The first change that somebody makes is written here, with who it was and from where.</p>
  ),
};
const nothingFound = {
  title: 'Nothing matches',
  text: <p>Widen the days, or look at every action and everybody.</p>,
};

type LogQuery = { readonly filter: AuditFilter; readonly startOf: StartOf };

const logQuery = ({ filter, startOf }: LogQuery, cursor: string | null): string =>
  `limit=100&${queryOf(filter, startOf)}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;

/** For more than a browser can hold, use `svc audit-log`. */
const mostSaved = 20_000;

/** Offers a text to the browser as a file to save. */
function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
