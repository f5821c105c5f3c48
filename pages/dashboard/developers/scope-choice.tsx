// The choice of scopes, the most sensitive first, each with what it permits.

import { type Scope, scopes } from '@svc/contract/rows/scopes';
import { CallFailure } from '../../kit/calls.ts';
import type { Fields } from '../../kit/parts/form.tsx';
import { meaningOf, sortByWeight } from '../../kit/scopes.ts';

type ChoiceProps = {
  readonly without?: readonly Scope[];
  /** The scopes that are ticked at first. */
  readonly chosen?: readonly string[];
};

export const ScopeChoice = ({ without = [], chosen = [] }: ChoiceProps) => (
  <fieldset class="picks">
    <legend>Scopes</legend>
    {sortByWeight(scopes.filter((scope) => !without.includes(scope))).map((scope) => (
      <label key={scope}>
        <input type="checkbox" name={`scope ${scope}`} defaultChecked={chosen.includes(scope)} />
        <span>
          {meaningOf(scope).title}
          <small>
            <code>{scope}</code>
          </small>
        </span>
      </label>
    ))}
  </fieldset>
);

/** Returns the scopes that are ticked in a form. Throws CallFailure when there is none. */
export function scopesIn(fields: Fields): Scope[] {
  const chosen = scopes.filter((scope) => fields(`scope ${scope}`) === 'on');
  if (chosen.length > 0) return chosen;
  throw new CallFailure(422, { message: 'Choose at least one of the scopes.' });
}
