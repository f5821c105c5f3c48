// A list on a narrow screen: a card of three lines per row, without sideways scrolling.

import { useEffect, useState } from 'preact/hooks';
import type { Merchant } from '../merchant.ts';
import { type Choice, ChooseRow } from './choosing.tsx';
import type { ListSpec } from './list-spec.ts';

const narrow = matchMedia('(max-width: 700px)');

export function useIsNarrowScreen(): boolean {
  return useMatches(narrow);
}

/** Whether the screen is as the query says, now and after it changes. */
export function useMatches(asked: MediaQueryList): boolean {
  const [isMatching, setMatching] = useState(asked.matches);
  useEffect(() => {
    const onChange = () => setMatching(asked.matches);
    asked.addEventListener('change', onChange);
    // The screen may have changed between the first drawing and now.
    onChange();
    return () => asked.removeEventListener('change', onChange);
  }, []);
  return isMatching;
}

type CardsProps<T> = {
  readonly spec: ListSpec<T>;
  readonly rows: readonly T[];
  readonly merchant: Merchant;
  readonly choice: Choice<T> | null;
};

export const Cards = <T,>({ spec, rows, merchant, choice }: CardsProps<T>) => (
  <ul class="cards" aria-label={spec.title}>
    {rows.map((row) => {
      const [first, second, third] = spec.linesOf(row, merchant);
      return (
        <li key={spec.keyOf(row)} class="card">
          {choice && <ChooseRow choice={choice} row={row} />}
          <a class="row-link" href={spec.hrefOf(row, merchant)}>
            {first}
            <span class="unseen"> {spec.aboutOf(row)}</span>
          </a>
          <p>{second}</p>
          <p class="fine">{third}</p>
        </li>
      );
    })}
  </ul>
);
