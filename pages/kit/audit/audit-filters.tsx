// The filter fields of the audit log: an action, a person, days.

import type { Member } from '@svc/contract/settings/members';
import { useEffect, useId, useState } from 'preact/hooks';
import { Busy } from '../parts/form.tsx';
import { Select } from '../parts/inputs.tsx';
import { type AuditFilter, isEmpty } from './audit-filter.ts';
import { type ActionWords, actionWords } from './audit-words.ts';

/**
 * From whom one person can be chosen: the merchant's members, read by a call that not everybody may make;
 * `authors`, the people of the entries; `self`, nobody else is in the log.
 */
export type Who = (() => Promise<readonly Member[]>) | 'authors' | 'self';

type FiltersProps = {
  readonly filter: AuditFilter;
  readonly apply: (wanted: AuditFilter) => void;
  /** The actions to choose from. */
  readonly actions: readonly string[];
  readonly words: ActionWords;
  readonly who: Who;
  /** Addresses of the people of the entries, by their ids. */
  readonly authors: ReadonlyMap<string, string>;
};

const none: AuditFilter = { action: '', actorUserId: '', from: '', to: '' };

export function AuditFilters(given: FiltersProps) {
  const { filter, apply, actions, words, who, authors } = given;
  const members = useMembers(who);
  const known = who === 'authors' ? [...authors] : members;
  const other = who === 'authors' ? 'Somebody else' : 'Somebody who left';
  const people = { '': 'Everybody', ...peopleToFilter(known, filter.actorUserId, other) };
  const choices = { '': 'Every action', ...actionChoices(actions, filter.action, words) };
  return (
    <form
      class="form-filters"
      aria-label="What is shown"
      onSubmit={(event) => {
        event.preventDefault();
        const entered = new FormData(event.currentTarget);
        const enteredText = (name: keyof AuditFilter) => String(entered.get(name) ?? '');
        const [action, actorUserId] = [enteredText('action'), enteredText('actorUserId')];
        apply({ action, actorUserId, from: enteredText('from'), to: enteredText('to') });
      }}
    >
      <div class="filters">
        <Select label="Action" name="action" value={filter.action} choices={choices} />
        {who !== 'self' && (
          <Select label="Who" name="actorUserId" value={filter.actorUserId} choices={people} />
        )}
        <Day label="From" name="from" value={filter.from} />
        <Day label="To" name="to" value={filter.to} />
      </div>
      <div class="ways">
        <Busy kind="second" type="submit">
          Show
        </Busy>
        {!isEmpty(filter) && (
          <Busy kind="quiet" onClick={() => apply(none)}>
            Show everything
          </Busy>
        )}
      </div>
    </form>
  );
}

function Day({ label, name, value }: { label: string; name: string; value: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} name={name} type="date" defaultValue={value} />
    </div>
  );
}

type NamedPerson = readonly [id: string, name: string];

/** Reads the members for the choice. The log also works without them. */
function useMembers(who: Who): readonly NamedPerson[] {
  const [members, setMembers] = useState<readonly Member[]>([]);
  useEffect(() => {
    if (typeof who === 'function') who().then(setMembers, () => undefined);
  }, []);
  return members.map(({ userId, name, email }) => [userId, name ?? email]);
}

/** `other`: the text for a person of the address who is not among them. */
function peopleToFilter(
  people: readonly NamedPerson[],
  userId: string,
  other: string,
): Record<string, string> {
  const isKnown = !userId || people.some(([id]) => id === userId);
  return Object.fromEntries(isKnown ? people : [[userId, other], ...people]);
}

function actionChoices(known: readonly string[], chosen: string, words: ActionWords) {
  const actions = [...new Set(chosen ? [...known, chosen] : known)];
  const named = actions.map((action) => [action, actionWords(action, words)] as const);
  return Object.fromEntries(named.sort(([, one], [, other]) => (one < other ? -1 : 1)));
}
