// The filter fields of the audit log: an action, a person, days.

import type { Member } from '@svc/contract/members';
import { useEffect, useId, useState } from 'preact/hooks';
import { type AuditFilter, isEmpty } from './audit-filter.ts';
import { type ActionWords, actionWords } from './audit-words.ts';
import { Select } from './home-parts.tsx';
import { Busy } from './parts.tsx';

type FiltersProps = {
  readonly filter: AuditFilter;
  readonly apply: (wanted: AuditFilter) => void;
  /** The actions to choose from. */
  readonly actions: readonly string[];
  readonly words: ActionWords;
  readonly findMembers: (() => Promise<readonly Member[]>) | null;
};

const none: AuditFilter = { action: '', actorUserId: '', from: '', to: '' };

export function AuditFilters(given: FiltersProps) {
  const { filter, apply, actions, words, findMembers } = given;
  const members = useMembers(findMembers);
  const people = { '': 'Everybody', ...peopleToFilter(members, filter.actorUserId) };
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
        {findMembers && (
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

/** Reads the members for the choice. The log also works without them. */
function useMembers(find: FiltersProps['findMembers']): readonly Member[] {
  const [members, setMembers] = useState<readonly Member[]>([]);
  useEffect(() => {
    find?.().then(setMembers, () => undefined);
  }, []);
  return members;
}

function peopleToFilter(members: readonly Member[], userId: string): Record<string, string> {
  const people = members.map((member) => [member.userId, member.name ?? member.email] as const);
  const isKnown = !userId || people.some(([id]) => id === userId);
  return Object.fromEntries(isKnown ? people : [[userId, 'Somebody who left'], ...people]);
}

function actionChoices(known: readonly string[], chosen: string, words: ActionWords) {
  const actions = [...new Set(chosen ? [...known, chosen] : known)];
  const named = actions.map((action) => [action, actionWords(action, words)] as const);
  return Object.fromEntries(named.sort(([, one], [, other]) => (one < other ? -1 : 1)));
}
