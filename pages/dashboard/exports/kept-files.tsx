// Files that are made in the background and kept for some days. Additions §8, Kept files.

import { mostRowsOfSmallExport } from '@svc/contract/export-limits';
import type { Export } from '@svc/contract/exports';
import { call } from '../../kit/calls.ts';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { InstantText } from '../../kit/parts/bits.tsx';
import { ConfirmButton } from '../../kit/parts/confirm-button.tsx';
import { Block } from '../../kit/parts/facts.tsx';
import { Busy, useAction } from '../../kit/parts/form.tsx';
import { News, useNews } from '../../kit/parts/news.tsx';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { Bones, Trouble } from '../../kit/parts/states.tsx';
import { styles } from '../../kit/parts/style-field.tsx';
import { person } from '../../kit/person.ts';
import { readOnFailure, useRepeat, useResource } from '../../kit/read.ts';
import { saveFile } from '../../kit/save-file.ts';
import { countedNoun } from '../../kit/words.ts';
import { monthName } from '../reports/month.tsx';
import { fileColumnWords, fileFilterWords } from './file-words.ts';

const payments = ['payment', 'payments'] as const;
const isUnfinished = ({ status }: Export) => status === 'waiting' || status === 'running';

export function KeptFiles() {
  const { zone } = useMerchant();
  const { content, failure, again } = useResource('GET /v1/exports', {
    sortField: 'createdAt',
    sortDirection: 'DESC',
    limit: 30,
  });
  const [news, tell] = useNews(again);
  useRepeat(again, 2000, content?.data.some(isUnfinished) ?? false);
  return (
    <Block title="Kept files">
      <p class="fine">Each is kept for seven days after it is ready. All times {zone}.</p>
      <News text={news} />
      {failure && <Trouble failure={failure} onRetry={again} />}
      {!content && !failure && <Bones lines={2} />}
      {content?.data.length === 0 && (
        <p>No file is kept. Choose “Keep the file” where you export a list.</p>
      )}
      {content && content.data.length > 0 && (
        <ul class="rows" aria-label="Kept files">
          {content.data.map((file) => (
            <File key={file.id} file={file} again={again} tell={tell} />
          ))}
        </ul>
      )}
    </Block>
  );
}

type FileProps = {
  readonly file: Export;
  readonly again: () => Promise<void>;
  readonly tell: (text: string) => Promise<void>;
};

function File({ file, again, tell }: FileProps) {
  const { author, style, timeZone, createdAt, keptUntil } = file;
  return (
    <li class="row">
      <div class="row-head">
        <span class="row-name">
          {titleOf(file)}
          {file.month && ` of ${monthName(file.month)}`}
        </span>
        <span class="fine">{styles[style]}</span>
      </div>
      <p class="fine">
        <InstantText at={createdAt} /> · {author.name ?? author.email} · times in {timeZone}
        {keptUntil && (
          <>
            {' '}
            · kept until <InstantText at={keptUntil} />
          </>
        )}
      </p>
      <Contents filters={file.filters} columns={file.columns} />
      <State file={file} />
      <Actions file={file} again={again} tell={tell} />
    </li>
  );
}

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

/** How far it is. Screen readers are told each state once, not each row that was written. */
function State({ file }: { file: Export }) {
  const { status, rows, rowsTotal } = file;
  return (
    <>
      <p role="status">{stateWords(file)}</p>
      {status === 'running' && (
        <div>
          <progress
            aria-label="How much of the file is made"
            max={(rowsTotal ?? 0) + 1}
            value={rows}
          />
          <p class="fine">{progressWords(file)}</p>
        </div>
      )}
    </>
  );
}

function stateWords({ status, failure }: Export): string {
  if (status === 'waiting') return 'Waiting for its turn.';
  if (status === 'running') return 'Being made.';
  if (status === 'ready') return 'Ready.';
  return failure === 'export_too_large'
    ? 'Not made: it has more rows than the author’s role permits.'
    : 'Not made: three attempts broke off. Make it again.';
}

/** Rows so far, and the time that the rest takes at the same rate. */
function progressWords({ rows, rowsTotal, startedAt }: Export, now = serviceTime()): string {
  if (rowsTotal === null || startedAt === null) return 'Counting the rows.';
  const done = `${rows.toLocaleString('en')} of ${countedNoun(rowsTotal, payments)}`;
  const seconds = (now - Date.parse(startedAt)) / 1000;
  if (rows === 0 || seconds <= 0) return `${done}.`;
  const rate = rows / seconds;
  const left = Math.max(1, Math.ceil((rowsTotal - rows) / rate));
  const time = left < 90 ? `${left} s` : `${Math.ceil(left / 60)} min`;
  return `${done}, ${Math.round(rate).toLocaleString('en')} a second, about ${time} left.`;
}

function Actions({ file, again, tell }: FileProps) {
  const merchant = useMerchant();
  const { clientId } = merchant;
  const { id, status, rows, rowsTotal, failure } = file;
  const isLarge = mayDo(merchant, 'exports.large');
  const isSmall = (rowsTotal ?? rows) <= mostRowsOfSmallExport && failure !== 'export_too_large';
  const download = useAction(() => saveFile(`/v1/exports/${id}/file`, clientId, () => undefined));
  const remove = () =>
    readOnFailure(again, () =>
      call('DELETE /v1/exports/{exportId}', { exportId: id }, { clientId }),
    );
  const stop = useAction(async () => {
    await remove();
    await tell('The file is not made any more.');
  });
  const repeat = useAction(async () => {
    await call('POST /v1/exports', {}, { clientId, query: queryOf(file) });
    await tell('The file is made again, from the payments as they are now: it stands first.');
  });
  const trouble = download.failure ?? stop.failure ?? repeat.failure;
  const isOwn = isLarge || file.author.userId === person.value?.id;
  return (
    <>
      {trouble && <Trouble failure={trouble} />}
      <div class="ways">
        {status === 'ready' && (isLarge || isSmall) && (
          <Busy kind="second" isBusy={download.isBusy} onClick={() => void download.run()}>
            Download
          </Busy>
        )}
        {!isUnfinished(file) && (isLarge || isSmall) && (
          <Busy kind="second" isBusy={repeat.isBusy} onClick={() => void repeat.run()}>
            Make it again
          </Busy>
        )}
        {isOwn && isUnfinished(file) && (
          <Busy kind="second" isBusy={stop.isBusy} onClick={() => void stop.run()}>
            Cancel
          </Busy>
        )}
        {isOwn && !isUnfinished(file) && (
          <ConfirmButton
            label="Delete"
            title="Delete this file?"
            yes="Delete it"
            failed="The file was not deleted"
            action={async () => {
              await remove();
              await tell('The file is deleted.');
            }}
          >
            <p>Nobody can download it any more. It can be made again from the list of payments.</p>
          </ConfirmButton>
        )}
      </div>
    </>
  );
}

/** The request that the file was made from. */
function queryOf({ filters, style, timeZone, columns }: Export): URLSearchParams {
  const query = new URLSearchParams(filters);
  query.set('style', style);
  query.set('timeZone', timeZone);
  query.set('columns', columns.join());
  return query;
}
