// Finds the row of the contract to which a concrete path belongs, segment by segment, at compile time:
// `/v1/payments/${id}/capture` is `PUT /v1/payments/{paymentId}/capture`.

import type { Calls } from './contract-types.ts';

type Segments<S extends string> = S extends `${infer Head}/${infer Tail}`
  ? [Head, ...Segments<Tail>]
  : [S];

type MatchingPath<P extends readonly string[], T extends readonly string[]> = P extends readonly [
  infer P0 extends string,
  ...infer PRest extends readonly string[],
]
  ? T extends readonly [infer T0 extends string, ...infer TRest extends readonly string[]]
    ? T0 extends `{${string}}`
      ? P0 extends ''
        ? false
        : MatchingPath<PRest, TRest>
      : P0 extends T0
        ? MatchingPath<PRest, TRest>
        : false
    : false
  : T extends readonly []
    ? true
    : false;

type WithoutQuery<P extends string> = P extends `${infer Path}?${string}` ? Path : P;

/** An HTTP method of the API. */
export type Method = keyof Calls extends `${infer M} ${string}` ? M : never;

/** The row of a method and a path, or never. */
export type CallOf<M extends string, P extends string> = {
  [K in keyof Calls]: K extends `${M} ${infer Template}`
    ? MatchingPath<Segments<WithoutQuery<P>>, Segments<Template>> extends true
      ? K
      : never
    : never;
}[keyof Calls];

/** The type that the compiler names when the API has no such call. No path is of this type. */
type UnknownCall<M extends string> = { readonly 'the API has no such call': M };

/** Becomes a type that no path matches when the API has no such call. */
export type KnownPath<M extends string, P extends string> = [CallOf<M, P>] extends [never]
  ? UnknownCall<M>
  : P;

/** The body of the call's request. */
export type BodyFor<M extends string, P extends string> = Calls[CallOf<M, P>]['body'];

/** The body of the call's response. */
export type AnswerFor<M extends string, P extends string> = Calls[CallOf<M, P>]['answer'];
