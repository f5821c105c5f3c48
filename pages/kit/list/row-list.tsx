// A list in a section of a page: what its rows show, their actions, the form that adds one, and older rows.

import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ActionButton } from '../parts/action-button.tsx';
import { Tag } from '../parts/bits.tsx';
import type { Question } from '../parts/dialog.tsx';
import { Busy } from '../parts/form.tsx';
import { TroubleAt } from '../parts/section-box.tsx';
import { Empty } from '../parts/states.tsx';
import { FactLine } from '../parts/time.tsx';
import type { Section } from '../section.ts';
import { countedNoun, type Words } from '../words.ts';
import type { ListSpec } from './list-spec.ts';

type Opened = (close: () => void) => ComponentChildren;

export type RowAction = {
  readonly label: string;
  readonly isDanger?: boolean;
} & (
  | {
      readonly question?: Question;
      readonly action: () => Promise<unknown>;
      /** What was done, for the section's news. */
      readonly said?: string;
    }
  /** Shown in place of the row's buttons. */
  | { readonly form: Opened }
  /** Shown above the page, so the row keeps its buttons. */
  | { readonly dialog: Opened }
);

export type RowSpec<T> = Pick<ListSpec<T>, 'title' | 'noun' | 'keyOf'> & {
  readonly nameOf: (row: T) => string;
  /** The page of the row. */
  readonly hrefOf?: (row: T) => string;
  /** The content that a press on the row's name opens. */
  readonly detailOf?: (row: T) => ComponentChildren;
  readonly tagsOf?: (row: T) => readonly (Words | null | false)[];
  readonly factsOf: (row: T) => readonly ComponentChildren[];
  /** The lines below the facts. */
  readonly textOf?: (row: T) => ComponentChildren;
  readonly actionsOf?: (row: T) => readonly (RowAction | false)[];
  /** Shown while the list is empty: its title, and how a row is created. */
  readonly empty: { readonly title: string; readonly text?: ComponentChildren };
};

type RowListProps<T, C> = {
  readonly spec: RowSpec<T>;
  readonly section: Section<C>;
  readonly rows: readonly T[];
  /** The form of a new row, and the button that opens it. */
  readonly add?:
    | false
    | {
        readonly label: string;
        readonly form: Opened;
        readonly onOpen?: () => void;
      };
};

export function RowList<T, C>({ spec, section, rows, add = false }: RowListProps<T, C>) {
  const [isAdding, setAdding] = useState(false);
  const openForm = () => {
    section.forget();
    if (add) add.onOpen?.();
    setAdding(true);
  };
  return (
    <>
      {rows.length === 0 && !isAdding && <Empty title={spec.empty.title}>{spec.empty.text}</Empty>}
      <ul class="rows" aria-label={spec.title}>
        {rows.map((row) => (
          <Row key={spec.keyOf(row)} spec={spec} section={section} row={row} />
        ))}
      </ul>
      {add && isAdding && add.form(() => setAdding(false))}
      {add && !isAdding && (
        <Busy kind="second" onClick={openForm}>
          {add.label}
        </Busy>
      )}
    </>
  );
}

type Listed<T> = { readonly data: readonly T[]; readonly total: number };

type PagedRowsProps<T, C> = Omit<RowListProps<T, C>, 'spec' | 'rows' | 'add'> & {
  readonly listed: C;
  /** Reads the rows after those shown; false when all are shown. */
  readonly readMore: false | (() => Promise<Partial<C> & Pick<Listed<T>, 'data'>>);
  /** Buttons beside the count of rows. */
  readonly children?: ComponentChildren;
} & (
    | { readonly spec: RowSpec<T>; readonly show?: never }
    /** Rows that are shown in another way. */
    | { readonly spec: Pick<RowSpec<T>, 'noun'>; readonly show: (rows: readonly T[]) => VNode }
  );

/** The newest rows of a list with their count, and a button that shows older ones. */
export function PagedRows<T, C extends Listed<T>>(given: PagedRowsProps<T, C>) {
  const { spec, section, listed, readMore, children } = given;
  const extend = (read: Exclude<typeof readMore, false>) =>
    section.extend('more', async () => {
      const next = await read();
      return { ...listed, ...next, data: [...listed.data, ...next.data] };
    });
  return (
    <>
      <div class="list-head">
        <p class="fine" role="status">
          {countedNoun(listed.total, spec.noun)}
        </p>
        {children}
      </div>
      {given.show ? (
        given.show(listed.data)
      ) : (
        <RowList spec={given.spec} section={section} rows={listed.data} />
      )}
      <TroubleAt section={section} at="more" />
      {readMore && (
        <ActionButton section={section} at="more" onAction={() => extend(readMore)}>
          {`Show older ${spec.noun[1]}`}
        </ActionButton>
      )}
    </>
  );
}

type RowProps<T, C> = Omit<RowListProps<T, C>, 'rows' | 'add'> & { readonly row: T };

function Row<T, C>({ spec, section, row }: RowProps<T, C>) {
  const [isOpen, setOpen] = useState(false);
  const [opened, setOpened] = useState<string | null>(null);
  const actions = (spec.actionsOf?.(row) ?? []).filter((action) => action !== false);
  const active = actions.find(({ label }) => label === opened);
  const close = () => setOpened(null);
  const placeOf = ({ label }: RowAction) => `${spec.keyOf(row)} ${label}`;
  return (
    <li class="row">
      <div class="row-head">
        <RowName spec={spec} row={row} isOpen={isOpen} onPress={() => setOpen(!isOpen)} />
        {spec.tagsOf?.(row).map((words) => words && <Tag key={words.text} words={words} />)}
      </div>
      <FactLine>{[...spec.factsOf(row)]}</FactLine>
      {spec.textOf?.(row)}
      <TroubleAt section={section} at={spec.keyOf(row)} />
      {actions.map((action) => (
        <TroubleAt key={action.label} section={section} at={placeOf(action)} />
      ))}
      {active && 'form' in active
        ? active.form(close)
        : actions.length > 0 && (
            <div class="ways">
              {actions.map((action) => (
                <RowButton
                  key={action.label}
                  section={section}
                  at={placeOf(action)}
                  about={spec.nameOf(row)}
                  action={action}
                  open={setOpened}
                />
              ))}
            </div>
          )}
      {active && 'dialog' in active && active.dialog(close)}
      {isOpen && spec.detailOf?.(row)}
    </li>
  );
}

type RowNameProps<T> = {
  readonly spec: RowSpec<T>;
  readonly row: T;
  readonly isOpen: boolean;
  readonly onPress: () => void;
};

function RowName<T>({ spec, row, isOpen, onPress }: RowNameProps<T>) {
  const name = spec.nameOf(row);
  if (spec.hrefOf) {
    return (
      <a class="row-name" href={spec.hrefOf(row)}>
        {name}
      </a>
    );
  }
  if (spec.detailOf) {
    return (
      <button type="button" class="row-name opener" aria-expanded={isOpen} onClick={onPress}>
        {name}
      </button>
    );
  }
  return <span class="row-name">{name}</span>;
}

type RowButtonProps<C> = {
  readonly section: Section<C>;
  readonly at: string;
  readonly about: string;
  readonly action: RowAction;
  readonly open: (label: string) => void;
};

function RowButton<C>({ section, at, about, action, open }: RowButtonProps<C>) {
  const press = () =>
    'action' in action ? section.change(at, action.action, action.said) : open(action.label);
  return (
    <ActionButton
      section={section}
      at={at}
      about={about}
      kind={action.isDanger ? 'quiet danger' : 'quiet'}
      {...('question' in action && action.question ? { question: action.question } : {})}
      onAction={press}
    >
      {action.label}
    </ActionButton>
  );
}
