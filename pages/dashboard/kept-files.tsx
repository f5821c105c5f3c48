// Files that are made in the background and kept for some days. Additions §8, Kept files.

import type { Export } from '@svc/contract/exports';
import { call, type ListPage } from '../account/calls.ts';
import { Busy, useAct } from '../account/parts.tsx';
import { person } from '../account/person.ts';
import { serviceTime } from '../account/sandbox-clock.tsx';
import { InstantText } from './bits.tsx';
import { styles } from './export-dialog.tsx';
import { mayDo, useMerchant } from './merchant.ts';
import { Block } from './payment-parts.tsx';
import { useRepeat, useResource } from './read.ts';
import { saveFile } from './save-file.ts';
import { Bones, Trouble } from './states.tsx';
import { countedNoun } from './words.ts';

const payments = ['payment', 'payments'] as const;
const isUnfinished = ({ status }: Export) => status === 'waiting' || status === 'running';

export function KeptFiles() {
  const { clientId, zone } = useMerchant();
  const { content, failure, again } = useResource<ListPage<Export>>(
    clientId,
    '/v1/exports?sortField=createdAt&sortDirection=DESC&limit=30',
  );
  useRepeat(again, 2000, content?.data.some(isUnfinished) ?? false);
  return (
    <Block title="Kept files">
      <p class="fine">Each is kept for seven days after it is ready. All times {zone}.</p>
      {failure && <Trouble failure={failure} onRetry={again} />}
      {!content && !failure && <Bones lines={2} />}
      {content?.data.length === 0 && (
        <p>No file is kept. Choose “Keep the file” where you export a list.</p>
      )}
      {content && content.data.length > 0 && (
        <ul class="rows" aria-label="Kept files">
          {content.data.map((file) => (
            <File key={file.id} file={file} onChanged={again} />
          ))}
        </ul>
      )}
    </Block>
  );
}

function File({ file, onChanged }: { file: Export; onChanged: () => Promise<void> }) {
  const { author, style, timeZone, filters, createdAt, keptUntil } = file;
  return (
    <li class="row">
      <div class="row-head">
        <span class="row-name">{titleOf(file)}</span>
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
      {filters && <p class="fine long">Filters: {filters}</p>}
      <State file={file} />
      <Acts file={file} onChanged={onChanged} />
    </li>
  );
}

const titleOf = ({ rows, rowsTotal, status }: Export): string =>
  rowsTotal === null ? 'Payments' : countedNoun(status === 'ready' ? rows : rowsTotal, payments);

function State({ file }: { file: Export }) {
  const { status, rows, rowsTotal, failure } = file;
  if (status === 'waiting') return <p role="status">Waiting for its turn.</p>;
  if (status === 'failed') {
    return (
      <p>
        {failure === 'export_too_large'
          ? 'Not made: it has more rows than the author’s role permits.'
          : 'Not made: three attempts broke off. Make it again.'}
      </p>
    );
  }
  if (status === 'ready') return null;
  return (
    <div>
      <progress aria-label="Export" max={(rowsTotal ?? 0) + 1} value={rows} />
      <p class="fine" role="status">
        {progressWords(file)}
      </p>
    </div>
  );
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

function Acts({ file, onChanged }: { file: Export; onChanged: () => Promise<void> }) {
  const merchant = useMerchant();
  const { clientId } = merchant;
  const { id, status } = file;
  const isLarge = mayDo(merchant, 'exports.large');
  const download = useAct(() => saveFile(`/v1/exports/${id}/file`, clientId, () => undefined));
  const end = useAct(async () => {
    await call('DELETE', `/v1/exports/${id}`, { clientId });
    await onChanged();
  });
  const repeat = useAct(async () => {
    await call('POST', `/v1/exports?${queryOf(file)}`, { clientId });
    await onChanged();
  });
  const failure = download.failure ?? end.failure ?? repeat.failure;
  return (
    <>
      {failure && <Trouble failure={failure} />}
      <div class="ways">
        {status === 'ready' && (isLarge || file.rows <= 1000) && (
          <Busy kind="second" isBusy={download.isBusy} onClick={() => void download.run()}>
            Download
          </Busy>
        )}
        {!isUnfinished(file) && (
          <Busy kind="second" isBusy={repeat.isBusy} onClick={() => void repeat.run()}>
            Make it again
          </Busy>
        )}
        {(isLarge || file.author.userId === person.value?.id) && (
          <Busy kind="second" isBusy={end.isBusy} onClick={() => void end.run()}>
            {isUnfinished(file) ? 'Cancel' : 'Delete'}
          </Busy>
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
