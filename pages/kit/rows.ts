// The calls that the pages make, with the types of their inputs and answers, derived from the rows of the
// contract. Types only: no schema of a row becomes part of a page's script.

import type { Rows } from '@svc/contract/index';
import type { ListedPayment } from '@svc/contract/payments/payments';
import type { InputPart, Operator, OutputOf, RowShape } from '@svc/contract/rows/row';
import type { Doors } from './doors.ts';

type RowsByCall = {
  [K in keyof Rows as Rows[K] extends { isFile: true } ? never : Rows[K]['call']]: Rows[K];
};

/** A call: method and path, as in `PATCH /v1/notes/{id}`. */
export type RowCall = keyof RowsByCall | keyof Doors;

type FiltersOf<R extends RowShape> = R['filters'] extends object
  ? { [K in `${keyof R['filters'] & string}[${Operator}]`]?: string | number | boolean }
  : unknown;

/** The service knows a value for what a query leaves out, or says what it misses. */
type QueryOf<Q> = { [K in keyof Q]?: Q[K] | undefined };

/** What is sent may be read-only. */
type Sent<T> = T extends readonly (infer E)[]
  ? readonly Sent<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Sent<T[K]> }
    : T;

type RowInput<R extends RowShape> = InputPart<R['input'], 'path'> &
  QueryOf<InputPart<R['input'], 'query'>> &
  FiltersOf<R> &
  (R['input'] extends { body: object } ? { body: Sent<InputPart<R['input'], 'body'>> } : unknown);

/** The fields of the path and of the query, filters as `status[eq]`, and the body. */
export type InputFor<C extends RowCall> = C extends keyof RowsByCall
  ? RowInput<RowsByCall[C]>
  : C extends keyof Doors
    ? Doors[C]['input']
    : never;

/** Null for an answer without a body. A replayed answer has the same body. */
type BodyIn<O> = O extends { body: infer B } ? B : O extends { replay: string } ? never : null;

/** A page with a sign-in receives whole payments; only a buyer's page receives nothing but their ids. */
type WholePayments<B> = B extends { data: (infer E)[] }
  ? ListedPayment extends E
    ? Omit<B, 'data'> & { data: ListedPayment[] }
    : B
  : B;

export type AnswerFor<C extends RowCall> = C extends keyof RowsByCall
  ? WholePayments<BodyIn<OutputOf<RowsByCall[C]>>>
  : C extends keyof Doors
    ? Doors[C]['answer']
    : never;

/** The calls for which the service must be told the merchant. */
export type MerchantCall = {
  [C in keyof RowsByCall]: RowsByCall[C]['auth'] extends 'person' | 'visitor' ? never : C;
}[keyof RowsByCall];

/** A path with a text in place of each `{name}`. */
type Filled<P extends string> = P extends `${infer Head}{${string}}${infer Tail}`
  ? `${Head}${string}${Filled<Tail>}`
  : P;

type PathsWithRows<T> = {
  [C in keyof RowsByCall]: C extends `GET ${infer P}`
    ? AnswerFor<C> extends { readonly data: readonly T[] }
      ? Filled<P>
      : never
    : never;
}[keyof RowsByCall];

/** The paths of the lists that have such rows; any path where the rows do not matter. */
export type ListPathOf<T> = [T] extends [never] ? string : PathsWithRows<T>;
