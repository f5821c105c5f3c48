// The filters of a list: a chip for each filter of the address, and a box to add or change one.

import { rangeNames } from '@svc/contract/reports/day-ranges';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Menu } from '../parts/bits.tsx';
import { SumChoices } from '../parts/form.tsx';
import { goTo, place, query } from '../router.ts';
import {
  endsOf,
  type FilterFault,
  filtersNamed,
  isAsked,
  readAmounts,
  readDays,
  readText,
} from './filter-values.ts';
import {
  type AddressQuery,
  type AddressSpec,
  addressWith,
  type Change,
  filterOf,
  filterWords,
  readAddress,
} from './list-address.ts';
import type { FilterSpec } from './list-spec.ts';

type FiltersProps = {
  readonly filters: readonly FilterSpec[];
  readonly asked: AddressQuery;
  readonly change: Change;
};

/** What the page's address asks of a list, and how its filters change the address. */
export function readPageAddress(spec: AddressSpec): { asked: AddressQuery; change: Change } {
  const asked = readAddress(query.value, spec);
  const change: Change = (changes) =>
    goTo(addressWith(place.value, asked, changes), { staysPut: true });
  return { asked, change };
}

/** The button that stays where one that takes filters away has gone. */
export const focusAddFilter = () =>
  document.querySelector<HTMLElement>('.filter-bar > .menu > button')?.focus();

export function Filters({ filters, asked, change }: FiltersProps) {
  const chosen = [...asked.filters.keys()].flatMap((name) => filterOf({ filters }, name) ?? []);
  return (
    <div class="filter-bar">
      {chosen.map((filter) => (
        <Chip
          key={filter.name}
          filter={filter}
          text={asked.filters.get(filter.name) ?? ''}
          currency={asked.filters.get('currency') ?? null}
          change={change}
        />
      ))}
      <Menu label="Add filter">
        {(close) => <AddFilter filters={filters} asked={asked} change={change} close={close} />}
      </Menu>
      {chosen.length > 1 && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            focusAddFilter();
            change(Object.fromEntries(chosen.map(({ name }) => [name, null])));
          }}
        >
          Clear filters
        </button>
      )}
    </div>
  );
}

type ChipProps = {
  readonly filter: FilterSpec;
  readonly text: string;
  /** The currency that the list is filtered by, in which typed amounts are read; null: none. */
  readonly currency: string | null;
  readonly change: Change;
};

function Chip({ filter, text, currency, change }: ChipProps) {
  const words = `${filter.title}: ${filterWords(filter, text)}`;
  return (
    <span class="chip">
      <Menu label={words} name={`Change filter ${words}`} class="chip-words">
        {(close) => <FilterForm {...{ filter, text, currency, change, close }} />}
      </Menu>
      <button
        type="button"
        class="chip-off"
        aria-label={`Remove filter ${words}`}
        onClick={() => {
          focusAddFilter();
          change({ [filter.name]: null });
        }}
      >
        <span aria-hidden="true">×</span>
      </button>
    </span>
  );
}

function AddFilter({ filters, asked, change, close }: FiltersProps & { close: () => void }) {
  const [name, setName] = useState<string | null>(null);
  const filter = filters.find((each) => each.name === name);
  if (filter) {
    const text = asked.filters.get(filter.name) ?? '';
    const currency = asked.filters.get('currency') ?? null;
    return <FilterForm {...{ filter, text, currency, change, close }} />;
  }
  return <FilterNames filters={filters} onChoose={setName} />;
}

/** Of more filters than this one is found by typing. */
const mostAtAGlance = 8;

type NamesProps = {
  readonly filters: readonly FilterSpec[];
  readonly onChoose: (name: string) => void;
};

/** The names of the filters, which typing narrows; Enter chooses the first, the arrows go through them. */
function FilterNames({ filters, onChoose }: NamesProps) {
  const [typed, setTyped] = useState('');
  const box = useRef<HTMLFieldSetElement>(null);
  const found = filtersNamed(filters, typed);
  const isTyped = filters.length > mostAtAGlance;
  useLayoutEffect(() => box.current?.querySelector<HTMLElement>('input')?.focus(), []);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || !box.current) return;
    event.preventDefault();
    const places = [...box.current.querySelectorAll<HTMLElement>('input, button')];
    const at = places.indexOf(document.activeElement as HTMLElement);
    places[(at + by + places.length) % places.length]?.focus();
  };
  return (
    <fieldset class="menu-picks" aria-label="Filters" ref={box} onKeyDown={move}>
      {isTyped && (
        <div class="field">
          <input
            type="search"
            aria-label="Find a filter"
            placeholder="Find a filter"
            autoComplete="off"
            spellcheck={false}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              // Else it would be pressed in the form that takes the place of the list too.
              event.preventDefault();
              if (found[0]) onChoose(found[0].name);
            }}
          />
        </div>
      )}
      <ul>
        {found.map((each) => (
          <li key={each.name}>
            <button type="button" onClick={() => onChoose(each.name)}>
              {each.title}
            </button>
          </li>
        ))}
      </ul>
      {isTyped && (
        <p class={found.length === 0 ? 'fine' : 'unseen'} role="status">
          {found.length === 0 ? 'No filter has this name.' : typed && `${found.length} filters`}
        </p>
      )}
    </fieldset>
  );
}

type FormProps = ChipProps & { readonly close: () => void };

function FilterForm(given: FormProps) {
  const { filter, text, change } = given;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.querySelector<HTMLElement>('input, select')?.focus(), []);
  return (
    <div class="filter-form" ref={box}>
      {filter.kind === 'choice' && <Choice filter={filter} text={text} change={change} />}
      {filter.kind === 'time' && <Time {...given} />}
      {filter.kind === 'amount' && <Amount {...given} />}
      {(filter.kind === 'text' || filter.kind === 'id') && <Text {...given} />}
    </div>
  );
}

function Choice({
  filter,
  text,
  change,
}: Omit<ChipProps, 'currency'> & { filter: { kind: 'choice' } & FilterSpec }) {
  const chosen = text.split(',').filter(Boolean);
  const toggleWord = (word: string) => {
    const next = chosen.includes(word) ? chosen.filter((each) => each !== word) : [...chosen, word];
    change({ [filter.name]: next.length > 0 ? next.join(',') : null });
  };
  return (
    <fieldset class="menu-picks">
      <legend>{filter.title}</legend>
      {Object.entries(filter.choices).map(([word, title]) => (
        <label key={word} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(word)}
            onChange={() => toggleWord(word)}
          />
          {title}
        </label>
      ))}
    </fieldset>
  );
}

type ApplyProps = { onApply: (form: FormData) => void; children: ComponentChildren };

const Apply = ({ onApply, children }: ApplyProps) => (
  <form
    onSubmit={(event) => {
      event.preventDefault();
      onApply(new FormData(event.currentTarget));
    }}
  >
    {children}
    <button type="submit" class="second main">
      Apply
    </button>
  </form>
);

const textOf = (form: FormData, name: string) => String(form.get(name) ?? '').trim();

function Text({ filter, text, change, close }: FormProps) {
  const id = useId();
  const [fault, setFault] = useState<string | null>(null);
  const apply = (form: FormData) => {
    const read = readText(filter, textOf(form, 'value'));
    if ('fault' in read) {
      setFault(read.fault);
      return;
    }
    change({ [filter.name]: read.value });
    close();
  };
  const hint = filter.kind === 'id' ? 'The whole id, 36 characters with dashes.' : null;
  return (
    <Apply onApply={apply}>
      <div class="field">
        <label for={id}>{filter.title}</label>
        <input
          id={id}
          name="value"
          defaultValue={text}
          autoComplete="off"
          spellcheck={false}
          aria-invalid={fault !== null || undefined}
          aria-describedby={`${id}-hint`}
        />
        <p class={fault ? 'field-error' : 'hint'} id={`${id}-hint`}>
          {fault ?? hint ?? ((filter.kind === 'text' && filter.hint) || 'The exact, full value.')}
        </p>
      </div>
    </Apply>
  );
}

function Amount({ filter, text, currency, change, close }: FormProps) {
  const id = useId();
  const [fault, setFault] = useState<FilterFault | null>(null);
  const settled = useRef<string[]>([]);
  const ends = endsOf(text);
  const apply = (typed: { from: string; until: string }) => {
    // What the address has needs no question.
    const known = [ends.from, ends.until, ...settled.current];
    const read = readAmounts(typed, { currency, settled: known });
    if ('fault' in read) {
      setFault(read);
      return;
    }
    change({ [filter.name]: read.value });
    close();
  };
  const field = (name: 'from' | 'until', title: string) => (
    <div class="field">
      <label for={`${id}-${name}`}>{title}</label>
      <input
        id={`${id}-${name}`}
        name={name}
        inputMode="decimal"
        defaultValue={ends[name]}
        autoComplete="off"
        aria-invalid={fault !== null || undefined}
        aria-describedby={`${id}-hint`}
      />
    </div>
  );
  const choose = (chosen: string) => {
    settled.current.push(chosen);
    for (const name of ['from', 'until']) {
      const input = document.getElementById(`${id}-${name}`) as HTMLInputElement;
      if (fault?.choices && isAsked(input.value, fault.choices)) input.value = chosen;
    }
    setFault(null);
  };
  return (
    <Apply onApply={(form) => apply({ from: textOf(form, 'from'), until: textOf(form, 'until') })}>
      {field('from', `${filter.title} from`)}
      {field('until', `${filter.title} up to`)}
      <p class={fault ? 'field-error' : 'hint'} id={`${id}-hint`}>
        {fault?.fault ?? `Such as 14.90, in ${currency ?? 'any currency'}.`}
      </p>
      {fault?.choices && <SumChoices choices={fault.choices} onChoose={choose} />}
    </Apply>
  );
}

function Time({ filter, text, change, close }: FormProps) {
  const id = useId();
  const isPreset = Object.hasOwn(rangeNames, text);
  const ends = endsOf(text);
  const choose = (value: string | null) => {
    change({ [filter.name]: value });
    close();
  };
  const momentOf = (form: FormData, name: string) =>
    [textOf(form, name), textOf(form, `${name}-time`)]
      .filter((part, at, [day]) => day && (at === 0 || part))
      .join('T');
  const apply = (form: FormData) => {
    const read = readDays({ from: momentOf(form, 'from'), until: momentOf(form, 'until') });
    if ('value' in read) choose(read.value);
  };
  return (
    <>
      <fieldset class="menu-picks">
        <legend>{filter.title}</legend>
        {Object.entries(rangeNames).map(([word, title]) => (
          <button
            key={word}
            type="button"
            aria-pressed={word === text}
            onClick={() => choose(word)}
          >
            {title}
          </button>
        ))}
      </fieldset>
      <Apply onApply={apply}>
        {(['from', 'until'] as const).map((name) => (
          <div class="field" key={name}>
            <label for={`${id}-${name}`}>{name === 'from' ? 'First day' : 'Last day'}</label>
            <input
              id={`${id}-${name}`}
              name={name}
              type="date"
              defaultValue={isPreset ? '' : ends[name].slice(0, 10)}
            />
            <input
              name={`${name}-time`}
              type="time"
              aria-label={name === 'from' ? 'From this time' : 'Until this time'}
              defaultValue={isPreset ? '' : ends[name].slice(11)}
            />
          </div>
        ))}
      </Apply>
    </>
  );
}
