// Files that are made in the background and kept for some days. Additions §8, Kept files.

import { mostRowsOfSmallExport } from '@svc/contract/reports/export-limits';
import type { Export } from '@svc/contract/reports/exports';
import { msOf } from '@svc/contract/values/instants';
import { useMemo } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import { type RowAction, RowList, type RowSpec } from '../../kit/list/row-list.tsx';
import { type Merchant, mayDo, useMerchant } from '../../kit/merchant.ts';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { SectionBox } from '../../kit/parts/section-box.tsx';
import { styles } from '../../kit/parts/style-field.tsx';
import { timeFact } from '../../kit/parts/time.tsx';
import { person } from '../../kit/person.ts';
import { readOnFailure, useFresh, useRepeat } from '../../kit/read.ts';
import { saveFile } from '../../kit/save-file.ts';
import { Section } from '../../kit/section.ts';
import { countedNoun } from '../../kit/words.ts';
import { monthName } from '../reports/month.tsx';
import { fileColumnWords, fileFilterWords } from './file-words.ts';

const payments = ['payment', 'payments'] as const;
const isUnfinished = ({ status }: Export) => status === 'waiting' || status === 'running';

export function KeptFiles() {
  const merchant = useMerchant();
  const { clientId, zone } = merchant;
  const section = useMemo(
    () =>
      new Section(async () => {
        const newest = { sortField: 'createdAt', sortDirection: 'DESC', limit: 30 } as const;
        return (await call('GET /v1/exports', newest, { clientId })).data;
      }),
    [clientId],
  );
  useFresh(section);
  useRepeat(section.again, 2000, section.content.value?.some(isUnfinished) ?? false);
  return (
    <SectionBox
      section={section}
      title="Kept files"
      intro={`Files are kept for seven days. All times ${zone}.`}
    >
      {(files) => <RowList spec={filesSpec(merchant, section)} section={section} rows={files} />}
    </SectionBox>
  );
}

const filesSpec = (merchant: Merchant, section: Section<readonly Export[]>): RowSpec<Export> => ({
  title: 'Kept files',
  noun: ['file', 'files'],
  keyOf: ({ id }) => id,
  nameOf: (file) => (file.month ? `${titleOf(file)} of ${monthName(file.month)}` : titleOf(file)),
  factsOf: ({ style, createdAt, author, timeZone, keptUntil }) => [
    styles[style],
    timeFact('Asked for', createdAt),
    author.name ?? author.email,
    `times in ${timeZone}`,
    keptUntil && timeFact('kept until', keptUntil),
  ],
  textOf: (file) => (
    <>
      <Contents filters={file.filters} columns={file.columns} />
      <State file={file} />
    </>
  ),
  actionsOf: (file) => actionsOf(file, merchant, section),
  empty: {
    title: 'No file is kept',
    text: <p>Choose “Keep the file” where you export a list.</p>,
  },
});

type ContentsProps = { readonly filters: string; readonly columns?: readonly string[] };

/** Which payments a file has, and which of their columns where it has not all. */
export function Contents({ filters, columns = [] }: ContentsProps) {
  const { zone } = useMerchant();
  const words = fileFilterWords(filters, zone);
  const named = columns.length > 0 ? fileColumnWords(columns) : null;
  return (
    <>
      <p class="fine long">{words.length > 0 ? words.join(' · ') : 'All payments'}</p>
      {named && <p class="fine long">Columns: {named}</p>}
    </>
  );
}

const titleOf = ({ rows, rowsTotal, status }: Export): string =>
  rowsTotal === null ? 'Payments' : countedNoun(status === 'ready' ? rows : rowsTotal, payments);

/** The file's progress. Screen readers announce each state once, and not each written row. */
function State({ file }: { file: Export }) {
  const { status, rows, rowsTotal } = file;
  return (
    <>
      <p role="status">{stateWords(file)}</p>
      {status === 'running' && (
        <div>
          <progress aria-label="Progress of the file" max={(rowsTotal ?? 0) + 1} value={rows} />
          <p class="fine">{progressWords(file)}</p>
        </div>
      )}
    </>
  );
}

function stateWords({ status, failure }: Export): string {
  if (status === 'waiting') return 'Queued.';
  if (status === 'running') return 'Being made.';
  if (status === 'ready') return 'Ready.';
  return failure === 'export_too_large'
    ? 'Failed: the file has more rows than its author’s role permits.'
    : 'Failed: three attempts broke off. Make it again.';
}

/** Rows so far, and the time that the rest takes at the same rate. */
function progressWords({ rows, rowsTotal, startedAt }: Export, now = serviceTime()): string {
  if (rowsTotal === null || startedAt === null) return 'Counting the rows.';
  const done = `${rows.toLocaleString('en')} of ${countedNoun(rowsTotal, payments)}`;
  const seconds = (now - msOf(startedAt)) / 1000;
  if (rows === 0 || seconds <= 0) return `${done}.`;
  const rate = rows / seconds;
  const left = Math.max(1, Math.ceil((rowsTotal - rows) / rate));
  const time = left < 90 ? `${left} s` : `${Math.ceil(left / 60)} min`;
  return `${done}, ${Math.round(rate).toLocaleString('en')} a second, about ${time} left.`;
}

function actionsOf(
  file: Export,
  merchant: Merchant,
  { again }: Section<readonly Export[]>,
): readonly (RowAction | false)[] {
  const { clientId } = merchant;
  const { id, status, rows, rowsTotal, failure } = file;
  const isLarge = mayDo(merchant, 'exports.large');
  const isSmall = (rowsTotal ?? rows) <= mostRowsOfSmallExport && failure !== 'export_too_large';
  const mayRead = isLarge || isSmall;
  const isOwn = isLarge || file.author.userId === person.value?.id;
  const remove = () =>
    readOnFailure(again, () =>
      call('DELETE /v1/exports/{exportId}', { exportId: id }, { clientId }),
    );
  return [
    status === 'ready' &&
      mayRead && {
        label: 'Download',
        action: () => saveFile(`/v1/exports/${id}/file`, clientId, () => undefined),
      },
    !isUnfinished(file) &&
      mayRead && {
        label: 'Make it again',
        action: () => call('POST /v1/exports', {}, { clientId, query: queryOf(file) }),
        said: 'The file is being made again from the current payments. It is first in the list.',
      },
    isOwn &&
      isUnfinished(file) && {
        label: 'Cancel',
        action: remove,
        said: 'The file is cancelled.',
      },
    isOwn && !isUnfinished(file) && { ...deletion, action: remove },
  ];
}

const deletion = {
  label: 'Delete',
  isDanger: true,
  said: 'The file is deleted.',
  question: {
    title: 'Delete this file?',
    yes: 'Delete it',
    no: 'Keep it',
    text: (
      <p>Nobody can download it afterwards. You can make it again from the list of payments.</p>
    ),
  },
};

/** The request that the file was made from. */
function queryOf({ filters, style, timeZone, columns }: Export): URLSearchParams {
  const query = new URLSearchParams(filters);
  query.set('style', style);
  query.set('timeZone', timeZone);
  query.set('columns', columns.join());
  return query;
}
