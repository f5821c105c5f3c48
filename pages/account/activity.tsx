// What happened in the person's own account, by action and days. The address keeps the filter.

import { isDay } from '@svc/contract/values/instants';
import { useId, useState } from 'preact/hooks';
import { AuditLog } from '../kit/audit/audit.tsx';
import { accountActions, actionChoices } from '../kit/audit/audit-words.ts';
import { call } from '../kit/calls.ts';
import { Busy } from '../kit/parts/form.tsx';
import { Select } from '../kit/parts/inputs.tsx';
import { WidePage } from '../kit/parts/wide-page.tsx';

export function ActivityPage() {
  const [filter, setFilter] = useState(() => filterOf(location.search));
  const apply = (wanted: Filter) => {
    history.replaceState(null, '', location.pathname + searchOf(wanted));
    setFilter(wanted);
  };
  return (
    <WidePage title="Activity">
      <AuditLog
        read={(query) => call('GET /v1/account/audit-entries', {}, { query })}
        title="What happened in your account"
        intro="Sign-ins, passwords and passkeys, applications. If you do not recognise something, change your password and sign out everywhere else."
        filter={queryOf(filter)}
        bar={() => <FilterForm filter={filter} apply={apply} />}
      />
    </WidePage>
  );
}

type Filter = {
  readonly action: string;
  /** Days such as `2026-11-21`, of this browser's time zone. The range includes both. */
  readonly from: string;
  readonly to: string;
};

const none: Filter = { action: '', from: '', to: '' };

function filterOf(search: string): Filter {
  const given = new URLSearchParams(search);
  const dayIn = (name: string) => {
    const text = given.get(name) ?? '';
    return isDay(text) ? text : '';
  };
  return { action: given.get('action') ?? '', from: dayIn('from'), to: dayIn('to') };
}

function searchOf(filter: Filter): string {
  const given = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
  return given.size > 0 ? `?${given}` : '';
}

/** The first instant of a day; days beyond the month's end carry over. */
function dayStart(text: string, more = 0): string {
  const [year = 0, month = 1, day = 1] = text.split('-').map(Number);
  return new Date(year, month - 1, day + more).toISOString();
}

/** Returns the filter as the service takes it: fields, operators and instants of contract §2. */
function queryOf({ action, from, to }: Filter): string {
  const given = new URLSearchParams();
  if (action) given.set('action[eq]', action);
  if (from) given.set('createdAt[gte]', dayStart(from));
  if (to) given.set('createdAt[lt]', dayStart(to, 1));
  return given.toString();
}

type FormProps = { readonly filter: Filter; readonly apply: (wanted: Filter) => void };

const FilterForm = ({ filter, apply }: FormProps) => (
  <form
    class="form-filters"
    aria-label="What is shown"
    onSubmit={(event) => {
      event.preventDefault();
      const entered = new FormData(event.currentTarget);
      const textOf = (name: keyof Filter) => String(entered.get(name) ?? '');
      apply({ action: textOf('action'), from: textOf('from'), to: textOf('to') });
    }}
  >
    <div class="filters">
      <Select
        label="Action"
        name="action"
        value={filter.action}
        choices={{ '': 'Every action', ...actionChoices(accountActions, [filter.action]) }}
      />
      <Day label="From" name="from" value={filter.from} />
      <Day label="To" name="to" value={filter.to} />
    </div>
    <div class="ways">
      <Busy kind="second" type="submit">
        Show
      </Busy>
      {queryOf(filter) && (
        <Busy kind="quiet" onClick={() => apply(none)}>
          Show everything
        </Busy>
      )}
    </div>
  </form>
);

function Day({ label, name, value }: { label: string; name: string; value: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} name={name} type="date" defaultValue={value} />
    </div>
  );
}
