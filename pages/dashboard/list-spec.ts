// What a list of the dashboard is: its rows, its columns, and the filters that the API has for it.

import type { ComponentChildren } from 'preact';
import type { Merchant } from './merchant.ts';

export type FilterKind =
  /** One of some words, or several. */
  | { readonly kind: 'choice'; readonly choices: Readonly<Record<string, string>> }
  /** `by`: how the API compares; the whole text where it is absent. */
  | { readonly kind: 'text'; readonly hint?: string; readonly by?: 'startsWith' }
  | { readonly kind: 'id' }
  | { readonly kind: 'amount' }
  | { readonly kind: 'time' };

/** `name` is the API's own, and stands in the page's address. */
export type FilterSpec = FilterKind & { readonly name: string; readonly title: string };

export type Column<T> = {
  readonly id: string;
  readonly title: string;
  /** The field that the API sorts by. */
  readonly sort?: string;
  readonly isNumber?: boolean;
  /** True where a line of it is never broken. */
  readonly isShort?: boolean;
  readonly cell: (row: T, merchant: Merchant) => ComponentChildren;
};

export type View = { readonly title: string; readonly query: string };

export type ListSpec<T> = {
  readonly title: string;
  /** `payment`: the noun of one row; `payments`: of more. */
  readonly noun: readonly [string, string];
  readonly path: string;
  /** True where events tell of the rows: the list then follows them. */
  readonly follows?: true;
  /** What the list is of, beside what the address asks for; in the API's form. */
  readonly fixed?: Readonly<Record<string, string>>;
  readonly views?: readonly View[];
  /** The list is offered as a file too. */
  readonly isExported?: true;
  readonly filters: readonly FilterSpec[];
  readonly columns: readonly Column<T>[];
  /** The columns that are shown where the address names none; the first one carries the link. */
  readonly shown: readonly string[];
  /** `-createdAt`: the newest first. */
  readonly sort: string;
  readonly keyOf: (row: T) => string;
  readonly hrefOf: (row: T, merchant: Merchant) => string;
  /** The rest of the link's name, for whom the row is out of sight. */
  readonly aboutOf: (row: T) => string;
  /** The two lower lines of a card on a phone. */
  readonly linesOf: (
    row: T,
    merchant: Merchant,
  ) => readonly [ComponentChildren, ComponentChildren, ComponentChildren];
  /** Where there is nothing yet: what will stand here, and how it comes. */
  readonly empty: (merchant: Merchant) => ComponentChildren;
};
