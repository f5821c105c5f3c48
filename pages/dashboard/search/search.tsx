// The search box: one field for whatever the buyer mentions.

import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type CallFailure, failureOf, preparingMs } from '../../kit/calls.ts';
import { type Merchant, useMerchant } from '../../kit/merchant.ts';
import { goTo, place } from '../../kit/router.ts';
import { leaveSearch, searchBox } from '../frame/keyboard.ts';
import { leftOfCardNumber } from './card-guard.ts';
import { type Found, search } from './search-find.tsx';

/** The pause in typing after which the service is called. */
const pauseMs = 250;
/** The pause in typing after which a card number is cut to its last four digits. */
const restMs = 800;

type ShownHits = Found & { readonly of: string; readonly failure: CallFailure | null };

const nothing: Found = { groups: [], understood: [] };

const hitsOf = ({ groups }: Found) => groups.flatMap(({ hits }) => hits);

export function SearchBox() {
  const merchant = useMerchant();
  const [text, setText] = useState('');
  const [refused, setRefused] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  // Enter was pressed before the response arrived: when it arrives its first result opens, never one of an
  // earlier response.
  const [isAwaited, setAwaited] = useState(false);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const shown = useFound(text, merchant);
  const path = place.value;
  // An effect after the first paint would close the list under a person who types at once.
  useLayoutEffect(() => {
    searchBox.value = input.current;
    setOpen(false);
  }, [path]);
  const found = hitsOf(shown ?? nothing);
  const type = (typed: string) => {
    setRefused(leftOfCardNumber(typed) !== null);
    setText(typed);
    setAt(0);
    setAwaited(false);
    setOpen(true);
  };
  useCut(text, setText);
  const choose = (href: string | undefined, isNewTab: boolean) => {
    if (href === undefined) return;
    setOpen(false);
    if (isNewTab) window.open(href, '_blank', 'noopener');
    else goTo(href);
  };
  useEffect(() => {
    if (isAwaited && shown) choose(hitsOf(shown)[0]?.href, false);
    if (shown) setAwaited(false);
  }, [shown]);
  const isListed = isOpen && text !== '';
  return (
    <div class="search">
      <input
        ref={input}
        type="search"
        role="combobox"
        // The types of Preact ask for this attribute beside the role; the list of results is our own.
        {...({} as { list: undefined })}
        aria-label="Search"
        aria-expanded={isListed}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isListed && found[at] ? `${id}-${at}` : undefined}
        placeholder="Search: name, card, amount, day"
        autoComplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => type(currentTarget.value)}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (by) setAt((was) => (found.length ? (was + by + found.length) % found.length : 0));
          else if (event.key === 'Enter' && !shown) setAwaited(true);
          else if (event.key === 'Enter') choose(found[at]?.href, event.ctrlKey || event.metaKey);
          else if (event.key !== 'Escape') return;
          else leaveSearch();
          event.preventDefault();
        }}
      />
      <p class="search-said" role="status">
        {refused && 'This is a full card number. Search by the last four digits.'}
      </p>
      <div class="search-list" hidden={!isListed}>
        <Results id={id} shown={shown} at={at} onChosen={() => setOpen(false)} />
      </div>
    </div>
  );
}

type ResultsProps = {
  readonly id: string;
  readonly shown: ShownHits | null;
  readonly at: number;
  readonly onChosen: () => void;
};

function Results({ id, shown, at, onChosen }: ResultsProps) {
  const { groups, understood } = shown ?? nothing;
  let index = -1;
  return (
    <>
      <div id={`${id}-list`} role="listbox" aria-label="Found" tabIndex={-1}>
        {groups.map(({ title, hits }, place) => (
          // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, and takes no fieldset
          <div key={`${title} ${place}`} role="group" aria-labelledby={`${id}-of-${place}`}>
            <p id={`${id}-of-${place}`} class="search-group">
              {title}
            </p>
            {hits.map((each) => {
              index += 1;
              return (
                <a
                  key={each.href}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === at}
                  tabIndex={-1}
                  href={each.href}
                  // The box keeps the focus: without it the list would disappear before the click arrives.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={onChosen}
                >
                  {each.text}
                </a>
              );
            })}
          </div>
        ))}
      </div>
      {shown?.failure && (
        <p class="fine" role="status">
          {shown.failure.message}
        </p>
      )}
      {shown && !shown.failure && groups.length === 0 && (
        <p class="fine">Nothing was found. Looked for {shortened(understood)}.</p>
      )}
    </>
  );
}

/** The first meanings: a wall of them says less than the usual ones. */
const shortened = (meanings: readonly string[]): string =>
  meanings.length > mostSaid
    ? `${meanings.slice(0, mostSaid).join('; ')}, and ${meanings.length - mostSaid} more meanings`
    : meanings.join('; ');
const mostSaid = 3;

/**
 * Returns what the text finds; null while there is nothing to show. Of several searches the newest counts.
 */
function useFound(text: string, merchant: Merchant): ShownHits | null {
  const [shown, setShown] = useState<ShownHits | null>(null);
  const of = `${merchant.clientId} ${text}`;
  useEffect(() => {
    if (text.trim() === '' || leftOfCardNumber(text) !== null) return;
    let isWanted = true;
    const find = async () => {
      try {
        const found = await search(text, merchant);
        if (isWanted) setShown({ ...found, of, failure: null });
      } catch (cause) {
        const failure = failureOf(cause);
        if (!isWanted) return;
        setShown({ ...nothing, of, failure });
        const waitMs = preparingMs(failure);
        if (waitMs) timer = setTimeout(find, waitMs);
      }
    };
    let timer = setTimeout(find, pauseMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [text, merchant.clientId]);
  // What another text found, or another merchant, is never shown or opened.
  return shown?.of === of ? shown : null;
}

/**
 * Cuts a card number to its last four digits after a pause in typing: the first thirteen digits of a longer
 * number may look like a whole one.
 */
function useCut(text: string, setText: (text: string) => void): void {
  useEffect(() => {
    const left = leftOfCardNumber(text);
    if (left === null) return;
    const timer = setTimeout(() => setText(left), restMs);
    return () => clearTimeout(timer);
  }, [text]);
}
