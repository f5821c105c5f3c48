// The description of a list of the dashboard: its rows, its columns, and the filters that the API has for
// it.

import type { ViewedList } from '@svc/contract/dashboard/views';
import type { Permission } from '@svc/contract/rows/roles';
import type { ComponentChildren, VNode } from 'preact';
import type { Merchant } from '../merchant.ts';
import type { ListPathOf } from '../rows.ts';

export type FilterKind =
  /** The person ticks one or more of `choices`, which maps each of the API's values to its name. */
  | { readonly kind: 'choice'; readonly choices: Readonly<Record<string, string>> }
  /** `by`: how the API compares; when it is absent, the whole text must be equal. */
  | { readonly kind: 'text'; readonly hint?: string; readonly by?: 'startsWith' }
  | { readonly kind: 'id' }
  | { readonly kind: 'amount' }
  | { readonly kind: 'time' };

/** `name` is the API's own and appears in the page's address. */
export type FilterSpec = FilterKind & { readonly name: string; readonly title: string };

export type Column<T> = {
  readonly id: string;
  readonly title: string;
  /** The field by which the API sorts. */
  readonly sort?: string;
  readonly isNumber?: boolean;
  /** True when the cell's text must not be broken. */
  readonly isShort?: boolean;
  readonly cell: (row: T, merchant: Merchant) => ComponentChildren;
};

export type ListFile = {
  readonly path: `/v1/${string}.csv`;
  /** Its columns, in its order, in words. */
  readonly columns: Readonly<Record<string, string>>;
  /** Whether the service makes it in the background and keeps it, and makes one after each month. */
  readonly ways: { readonly isKept: boolean; readonly isMonthly: boolean };
};

export type View = { readonly title: string; readonly query: string };

/** What acts on the rows that a person chose. */
export type ChosenProps<T> = {
  readonly chosen: readonly T[];
  /** Reads the list again. */
  readonly again: () => Promise<void>;
  readonly clear: () => void;
};

export type ListSpec<T> = {
  readonly title: string;
  /** The noun for one row and for several, such as `payment` and `payments`. */
  readonly noun: readonly [string, string];
  /** The path of the call that lists such rows. */
  readonly path: ListPathOf<T> & string;
  /** The resource type of the events that report changes of the rows: the list then follows them. */
  readonly follows?: 'payment' | 'dispute';
  /** Filters that always apply, in addition to those of the address, in the API's form. */
  readonly fixed?: Readonly<Record<string, string>>;
  readonly views?: readonly View[];
  /** The name of the list under which people save views of it. */
  readonly viewed?: ViewedList;
  /** The file that the list is offered as too. */
  readonly file?: ListFile;
  /** The list shows what its payments add up to. */
  readonly hasSums?: true;
  /** Lets people with the permission choose rows, and shows above them what can be done with those. */
  readonly choosing?: {
    readonly permission: Permission;
    /** A row in words, for its checkbox. */
    readonly nameOf: (row: T) => string;
    readonly bar: (props: ChosenProps<T>) => VNode | null;
  };
  /** Above the rows: what the shown ones have in common. */
  readonly above?: (rows: readonly T[]) => VNode | null;
  /** While a shown row is, the list is read again every few seconds. */
  readonly isUnderWay?: (row: T) => boolean;
  readonly filters: readonly FilterSpec[];
  readonly columns: readonly Column<T>[];
  /** The columns that are shown when the address names none. The first one contains the link. */
  readonly shown: readonly string[];
  /** For example `-createdAt`, newest first. */
  readonly sort: string;
  readonly keyOf: (row: T) => string;
  readonly hrefOf: (row: T, merchant: Merchant) => string;
  /** The rest of the link's name, for people who cannot see the row. */
  readonly aboutOf: (row: T) => string;
  /** The lines of a card on a phone. */
  readonly linesOf: (
    row: T,
    merchant: Merchant,
  ) => readonly [ComponentChildren, ComponentChildren, ComponentChildren];
  /** Shown while the list is empty: what it will contain, and how that is created. */
  readonly empty: (merchant: Merchant) => ComponentChildren;
};
