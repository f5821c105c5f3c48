// The filters of a list: a chip for each filter of the address, and a box to add or change one.

import { rangeNames } from '@svc/contract/reports/day-ranges';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Menu } from '../parts/bits.tsx';
import { type AddressQuery, type Change, filterOf, filterWords } from './list-address.ts';
import type { FilterSpec } from './list-spec.ts';

type FiltersProps = {
  readonly filters: readonly FilterSpec[];
  readonly asked: AddressQuery;
  readonly change: Change;
};

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

type ChipProps = { filter: FilterSpec; text: string; change: Change };

function Chip({ filter, text, change }: ChipProps) {
  const words = `${filter.title}: ${filterWords(filter, text)}`;
  return (
    <span class="chip">
      <Menu label={words} name={`Change filter ${words}`} class="chip-words">
        {(close) => <FilterForm filter={filter} text={text} change={change} close={close} />}
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
    return <FilterForm filter={filter} text={text} change={change} close={close} />;
  }
  return (
    <ul>
      {filters.map((each) => (
        <li key={each.name}>
          <button type="button" onClick={() => setName(each.name)}>
            {each.title}
          </button>
        </li>
      ))}
    </ul>
  );
}

type FormProps = ChipProps & { readonly close: () => void };

function FilterForm({ filter, text, change, close }: FormProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.querySelector<HTMLElement>('input, select')?.focus(), []);
  return (
    <div class="filter-form" ref={box}>
      {filter.kind === 'choice' && <Choice filter={filter} text={text} change={change} />}
      {filter.kind === 'time' && <Time filter={filter} text={text} change={change} close={close} />}
      {filter.kind === 'amount' && (
        <Amount filter={filter} text={text} change={change} close={close} />
      )}
      {(filter.kind === 'text' || filter.kind === 'id') && (
        <Text filter={filter} text={text} change={change} close={close} />
      )}
    </div>
  );
}

function Choice({ filter, text, change }: ChipProps & { filter: { kind: 'choice' } & FilterSpec }) {
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
  const [isWrong, setWrong] = useState(false);
  const apply = (form: FormData) => {
    const value = textOf(form, 'value');
    const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
    if (value && filter.kind === 'id' && !isId) {
      setWrong(true);
      return;
    }
    change({ [filter.name]: value || null });
    close();
  };
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
          aria-invalid={isWrong || undefined}
          aria-describedby={`${id}-hint`}
        />
        <p class={isWrong ? 'field-error' : 'hint'} id={`${id}-hint`}>
          {filter.kind === 'id'
            ? 'The whole id, 36 characters with dashes.'
            : (filter.kind === 'text' && filter.hint) || 'The exact, full value.'}
        </p>
      </div>
    </Apply>
  );
}

function Amount({ filter, text, change, close }: FormProps) {
  const id = useId();
  const [isWrong, setWrong] = useState(false);
  const [first = '', last] = text.includes('..') ? text.split('..', 2) : [text, text];
  const apply = (form: FormData) => {
    const [from = '', until = ''] = ['from', 'until'].map((name) =>
      textOf(form, name).replace(',', '.'),
    );
    const isAmount = [from, until].every((each) => /^(\d+(\.\d+)?)?$/.test(each));
    if (!isAmount) {
      setWrong(true);
      return;
    }
    const range = from === until ? from : `${from}..${until}`;
    change({ [filter.name]: range || null });
    close();
  };
  const field = (name: string, title: string, value: string | undefined) => (
    <div class="field">
      <label for={`${id}-${name}`}>{title}</label>
      <input
        id={`${id}-${name}`}
        name={name}
        inputMode="decimal"
        defaultValue={value ?? ''}
        autoComplete="off"
        aria-invalid={isWrong || undefined}
        aria-describedby={`${id}-hint`}
      />
    </div>
  );
  return (
    <Apply onApply={apply}>
      {field('from', `${filter.title} from`, first)}
      {field('until', `${filter.title} up to`, last)}
      <p class={isWrong ? 'field-error' : 'hint'} id={`${id}-hint`}>
        {isWrong ? 'Type numbers, such as 14.90.' : 'Such as 14.90, in any currency.'}
      </p>
    </Apply>
  );
}

function Time({ filter, text, change, close }: FormProps) {
  const id = useId();
  const isPreset = Object.hasOwn(rangeNames, text);
  const [first = '', last] = text.includes('..') ? text.split('..', 2) : [text, text];
  const choose = (value: string | null) => {
    change({ [filter.name]: value });
    close();
  };
  const apply = (form: FormData) => {
    const [from, until] = [textOf(form, 'from'), textOf(form, 'until')];
    if (!from && !until) choose(null);
    else choose(from === until ? from : `${from}..${until}`);
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
              defaultValue={isPreset ? '' : (name === 'from' ? first : last) || ''}
            />
          </div>
        ))}
      </Apply>
    </>
  );
}
