// The list as a file: which columns, whose clock, in which style.

import { mostRows, mostRowsOfSmallExport } from '@svc/contract/reports/export-limits';
import { useState } from 'preact/hooks';
import { addressOf } from '../addresses.ts';
import { call } from '../calls.ts';
import { mayDo, useMerchant } from '../merchant.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useAction } from '../parts/form.tsx';
import { Trouble } from '../parts/states.tsx';
import { type Style, StyleField } from '../parts/style-field.tsx';
import { saveFile } from '../save-file.ts';
import { countedNoun } from '../words.ts';
import type { ListFile } from './list-spec.ts';

export type ExportProps = {
  readonly file: ListFile;
  readonly noun: readonly [string, string];
  /** The filters of the list, as the API takes them. */
  readonly filters: string;
  readonly total: number;
  readonly onClose: () => void;
};

/** What was chosen in the dialog. */
type Choice = {
  readonly style: Style;
  readonly isUtc: boolean;
  /** Names of the columns that the file does not have. */
  readonly left: ReadonlySet<string>;
  readonly isKept: boolean;
  /** Made by itself after each month, instead of now. */
  readonly isMonthly: boolean;
};
type ChoiceProps = {
  readonly choice: Choice;
  readonly onChange: (changed: Partial<Choice>) => void;
};

export function ExportDialog({ file, noun, filters, total, onClose }: ExportProps) {
  const merchant = useMerchant();
  const { clientId, zone } = merchant;
  const isLarge = mayDo(merchant, 'exports.large');
  // The service refuses more, because such a file is sent while it is read.
  const mustKeep = isLarge && file.ways.isKept && total > mostRows;
  const [choice, setChoice] = useState<Choice>({
    style: 'spreadsheet',
    isUtc: false,
    left: new Set(),
    isKept: mustKeep,
    isMonthly: false,
  });
  const onChange = (changed: Partial<Choice>) => setChoice({ ...choice, ...changed });
  const [done, setDone] = useState(0);
  const [made, setMade] = useState<string | null>(null);
  const { run, isBusy, failure } = useAction(async () => {
    setMade(null);
    setDone(0);
    const query = fileQuery(filters, choice, { file, zone });
    if (choice.isMonthly) {
      await call('POST /v1/export-schedules', {}, { clientId, query: monthlyQuery(query) });
      setMade('monthly');
    } else if (choice.isKept) {
      await call('POST /v1/exports', {}, { clientId, query });
      setMade('');
    } else setMade(await saveFile(`${file.path}?${query}`, clientId, setDone));
  });
  const hasColumns = columnsOf(choice, file).length > 0;
  const most = isLarge ? mostRows : mostRowsOfSmallExport;
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
          <p>{countedNoun(total, noun)}, as the list is filtered now.</p>
          <Looks choice={choice} onChange={onChange} />
          <Columns file={file} choice={choice} onChange={onChange} />
          {file.ways.isKept && <Keeping choice={choice} onChange={onChange} mustKeep={mustKeep} />}
          {isLarge && file.ways.isMonthly && <EachMonth choice={choice} onChange={onChange} />}
          {failure && <Trouble failure={failure} title="Nothing was exported" />}
          {total > most && !mustKeep && (
            <p class="fine">
              Your files have at most {countedNoun(most, ['row', 'rows'])}: narrow the filters, by
              day for example.
            </p>
          )}
          {isBusy && !choice.isKept && !choice.isMonthly && (
            <progress aria-label="Export" max={total + 1} value={Math.min(done, total + 1)} />
          )}
          {made && made !== 'monthly' && <p role="status">Made {made}.</p>}
          {made === 'monthly' && (
            <p role="status">
              A file will be made each month: see{' '}
              <a href={addressOf(clientId, 'exports')}>Exports</a>.
            </p>
          )}
          {made === '' && (
            <p role="status">
              The file is being made: see <a href={addressOf(clientId, 'exports')}>Exports</a>.
            </p>
          )}
          <div class="form-ways">
            <button type="submit" class="pay" disabled={isBusy || !hasColumns}>
              {choice.isMonthly ? 'Make it each month' : 'Make the file'}
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

const columnsOf = ({ left }: Choice, { columns }: ListFile): string[] =>
  Object.keys(columns).filter((name) => !left.has(name));

function fileQuery(
  filters: string,
  choice: Choice,
  { file, zone }: { readonly file: ListFile; readonly zone: string },
): URLSearchParams {
  const query = new URLSearchParams(filters);
  query.set('style', choice.style);
  query.set('timeZone', choice.isUtc ? 'UTC' : zone);
  if (choice.left.size > 0) query.set('columns', columnsOf(choice, file).join(','));
  return query;
}

/** The file of each month has the days of that month, by the merchant's clock. */
function monthlyQuery(query: URLSearchParams): URLSearchParams {
  const monthly = new URLSearchParams(query);
  for (const name of query.keys()) {
    if (name === 'timeZone' || name.startsWith('createdAt')) monthly.delete(name);
  }
  return monthly;
}

function Looks({ choice, onChange }: ChoiceProps) {
  const { zone } = useMerchant();
  return (
    <>
      <StyleField label="Style" value={choice.style} onChange={(style) => onChange({ style })} />
      <label class="field">
        <span>Times in</span>
        <select
          value={choice.isUtc ? 'UTC' : zone}
          onChange={({ currentTarget }) => onChange({ isUtc: currentTarget.value === 'UTC' })}
        >
          <option>{zone}</option>
          {zone !== 'UTC' && <option>UTC</option>}
        </select>
      </label>
    </>
  );
}

function Columns({ file, choice, onChange }: ChoiceProps & { file: ListFile }) {
  const { left } = choice;
  const toggle = (name: string) => {
    const next = new Set(left);
    if (!next.delete(name)) next.add(name);
    onChange({ left: next });
  };
  const count = Object.keys(file.columns).length;
  return (
    <details>
      <summary>
        Columns: {left.size === 0 ? 'all' : `${columnsOf(choice, file).length} of ${count}`}
      </summary>
      <fieldset class="choices">
        <legend class="unseen">Columns</legend>
        {Object.entries(file.columns).map(([name, title]) => (
          <label key={name}>
            <input type="checkbox" checked={!left.has(name)} onChange={() => toggle(name)} />{' '}
            {title}
          </label>
        ))}
      </fieldset>
    </details>
  );
}

function Keeping({ choice, onChange, mustKeep }: ChoiceProps & { mustKeep: boolean }) {
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={choice.isKept}
          disabled={mustKeep}
          onChange={({ currentTarget }) => onChange({ isKept: currentTarget.checked })}
        />
        Keep the file under Exports for seven days
      </label>
      {mustKeep && (
        <p class="fine">
          A file of more than {countedNoun(mostRows, ['row', 'rows'])} is made in the background and
          kept under Exports.
        </p>
      )}
    </>
  );
}

function EachMonth({ choice, onChange }: ChoiceProps) {
  const { zone } = useMerchant();
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={choice.isMonthly}
          onChange={({ currentTarget }) => onChange({ isMonthly: currentTarget.checked })}
        />
        Make it after each month
      </label>
      {choice.isMonthly && (
        <p class="fine">
          No file is made now. Each monthly file has the payments created in its month ({zone}),
          whatever days the list is filtered by, and is kept for seven days.
        </p>
      )}
    </>
  );
}
