// The audit log of a merchant, or of the person's own account: who did what and from where, with the values
// before and after.

import type { AuditEntry } from '@svc/contract/settings/audit-log';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ListPage } from '../calls.ts';
import { PagedRows } from '../list/row-list.tsx';
import { ActionButton } from '../parts/action-button.tsx';
import { SectionBox, TroubleAt } from '../parts/section-box.tsx';
import { Empty } from '../parts/states.tsx';
import { readAll } from '../read.ts';
import { Section } from '../section.ts';
import { csvOf } from './audit-csv.ts';
import { EntryTable, type LogWords } from './audit-entry.tsx';
import { changesOf, fieldWords, resourceWords } from './audit-words.ts';

type LogProps = {
  readonly read: (query: string) => Promise<ListPage<AuditEntry>>;
  readonly title: string;
  readonly intro: string;
  readonly ofMerchant?: LogWords;
  /** The query of the entries to show; empty for all of them. */
  readonly filter: string;
  /** Shows and changes the filter; given the entries that are shown. */
  readonly bar: (entries: readonly AuditEntry[]) => ComponentChildren;
};

export function AuditLog({ read, title, intro, ofMerchant = plain, filter, bar }: LogProps) {
  const section = useMemo(() => new Section(() => read(`limit=50&${filter}`)), [filter]);
  return (
    <SectionBox
      section={section}
      title={title}
      intro={intro}
      bar={bar(section.content.value?.data ?? [])}
    >
      {(listed) => (
        <FoundEntries
          section={section}
          listed={listed}
          read={(cursor) => read(logQuery(filter, cursor))}
          ofMerchant={ofMerchant}
        />
      )}
    </SectionBox>
  );
}

type FoundProps = {
  readonly section: Section<ListPage<AuditEntry>>;
  readonly listed: ListPage<AuditEntry>;
  readonly read: (cursor: string | null) => Promise<ListPage<AuditEntry>>;
  readonly ofMerchant: LogWords;
};

function FoundEntries({ section, listed, read, ofMerchant }: FoundProps) {
  const { nextCursor } = listed;
  const save = () =>
    section.extend('csv', async () => {
      const all = await readAll(
        ({ cursor = null }: { cursor?: string | null }) => read(cursor),
        mostSaved,
      );
      saveText('audit-log.csv', csvOf(all));
      return listed;
    });
  return (
    <>
      <PagedRows
        spec={{ noun: ['entry', 'entries'] }}
        section={section}
        listed={listed}
        readMore={nextCursor !== null && (() => read(nextCursor))}
        show={(entries) =>
          entries.length === 0 ? nothingFound : <EntryTable entries={entries} log={ofMerchant} />
        }
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

const plain: LogWords = {
  words: {},
  fieldOf: fieldWords,
  changesOf: ({ before, after }, zone) => changesOf(before, after, { zone }),
  whoOf: ({ kind, email }) => email ?? resourceWords(kind),
  nameOf: ({ resource: { type }, after }) => `${resourceWords(type)} ${after?.name ?? ''}`,
};

const nothingFound = (
  <Empty title="Nothing matches">
    <p>Change or remove a filter.</p>
  </Empty>
);

const logQuery = (filter: string, cursor: string | null): string =>
  `limit=100&${filter}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;

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
