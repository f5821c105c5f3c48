// The list as a file: which columns, whose clock, in which style.

import { useState } from 'preact/hooks';
import { Dialog } from '../account/dialog.tsx';
import { useAct } from '../account/parts.tsx';
import { exportColumns } from './export-columns.ts';
import { mayDo, useMerchant } from './merchant.ts';
import { saveFile } from './save-file.ts';
import { Trouble } from './states.tsx';
import { counted } from './words.ts';

export const styles = {
  spreadsheet: 'Spreadsheet, English',
  european: 'Spreadsheet, European',
  program: 'Program',
  json: 'JSON lines',
} as const;

type ExportProps = {
  /** The filters of the list, as the API takes them. */
  readonly filters: string;
  readonly total: number;
  readonly onClose: () => void;
};

export function ExportDialog({ filters, total, onClose }: ExportProps) {
  const merchant = useMerchant();
  const { clientId, zone } = merchant;
  // The service refuses more: a file is read and written in one go.
  const most = mayDo(merchant, 'exports.large') ? 50_000 : 1000;
  const [style, setStyle] = useState<keyof typeof styles>('spreadsheet');
  const [isUtc, setUtc] = useState(false);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [done, setDone] = useState(0);
  const [kept, setKept] = useState<string | null>(null);
  const names = Object.keys(exportColumns);
  const columns = names.filter((name) => !left.has(name));
  const { run, isBusy, failure } = useAct(async () => {
    setKept(null);
    setDone(0);
    const query = new URLSearchParams(filters);
    query.set('style', style);
    query.set('timeZone', isUtc ? 'UTC' : zone);
    if (left.size > 0) query.set('columns', columns.join(','));
    setKept(await saveFile(`/v1/payments.csv?${query}`, clientId, setDone));
  });
  const toggle = (name: string) => {
    const next = new Set(left);
    if (!next.delete(name)) next.add(name);
    setLeft(next);
  };
  return (
    <Dialog title="Export" onClose={onClose}>
      {(close) => (
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            void run();
          }}
        >
          <p>{counted(total, ['payment', 'payments'])}, as the list is filtered now.</p>
          <label class="field">
            <span>Style</span>
            <select
              value={style}
              onChange={({ currentTarget }) => setStyle(currentTarget.value as typeof style)}
            >
              {Object.entries(styles).map(([name, title]) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>Times in</span>
            <select
              value={isUtc ? 'UTC' : zone}
              onChange={({ currentTarget }) => setUtc(currentTarget.value === 'UTC')}
            >
              <option>{zone}</option>
              {zone !== 'UTC' && <option>UTC</option>}
            </select>
          </label>
          <details>
            <summary>
              Columns: {left.size === 0 ? 'all' : `${columns.length} of ${names.length}`}
            </summary>
            <fieldset class="choices">
              <legend class="unseen">Columns</legend>
              {Object.entries(exportColumns).map(([name, title]) => (
                <label key={name}>
                  <input type="checkbox" checked={!left.has(name)} onChange={() => toggle(name)} />{' '}
                  {title}
                </label>
              ))}
            </fieldset>
          </details>
          {failure && <Trouble failure={failure} title="Nothing was exported" />}
          {total > most && (
            <p class="fine">
              Your files have at most {most === 1000 ? '1 000' : '50 000'} rows: narrow the filters,
              by day for example.
            </p>
          )}
          {isBusy && (
            <progress aria-label="Export" max={total + 1} value={Math.min(done, total + 1)} />
          )}
          {kept && <p role="status">Made {kept}.</p>}
          <div class="form-ways">
            <button type="submit" class="pay" disabled={isBusy || columns.length === 0}>
              Make the file
            </button>
            <button type="button" class="second" onClick={close}>
              Close
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
