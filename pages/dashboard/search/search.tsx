// The search box: one field for whatever the buyer mentions.

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { type CallFailure, failureOf } from '../../kit/calls.ts';
import { type Merchant, useMerchant } from '../../kit/merchant.ts';
import { goTo, place } from '../../kit/router.ts';
import { leaveSearch, searchBox } from '../frame/keyboard.ts';
import { leftOfCardNumber } from './card-guard.ts';
import { type SearchHit, search } from './search-find.tsx';

/** The pause in typing after which the service is called. */
const pauseMs = 250;
/** The pause in typing after which a card number is cut to its last four digits. */
const restMs = 800;

type ShownHits = { readonly found: readonly SearchHit[]; readonly failure: CallFailure | null };

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
  useEffect(() => {
    searchBox.value = input.current;
    setOpen(false);
  }, [path]);
  const found = shown?.found ?? [];
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
    if (isAwaited && shown) choose(shown.found[0]?.href, false);
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
        placeholder="Search: address, amount, id"
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
  const found = shown?.found ?? [];
  return (
    <>
      <div id={`${id}-list`} role="listbox" aria-label="Found" tabIndex={-1}>
        {found.map((each, index) => (
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
            <span class="search-group">{each.group}</span> {each.text}
          </a>
        ))}
      </div>
      {shown && found.length === 0 && (
        <p class="fine">{shown.failure ? shown.failure.message : 'Nothing was found.'}</p>
      )}
    </>
  );
}

/**
 * Returns what the text finds; null while there is nothing to show. Of several searches the newest counts.
 */
function useFound(text: string, merchant: Merchant): ShownHits | null {
  const [shown, setShown] = useState<ShownHits | null>(null);
  useEffect(() => {
    setShown(null);
    if (text.trim() === '' || leftOfCardNumber(text) !== null) return;
    let isWanted = true;
    const timer = setTimeout(async () => {
      try {
        const found = await search(text, merchant);
        if (isWanted) setShown({ found, failure: null });
      } catch (cause) {
        if (isWanted) setShown({ found: [], failure: failureOf(cause) });
      }
    }, pauseMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [text, merchant.clientId]);
  return shown;
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
