// A row of the contract: one endpoint of the specification as data. Routes, validation,
// serialisation, OpenAPI, the libraries' types and the contract tests all read it.

import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';
import type { EventType } from './events.ts';
import type { Scope } from './scopes.ts';

/**
 * Who may call. `server`: Client Basic, Bearer, or a person's browser that names a client.
 * `bearer`: the same without Basic. `session`: the session's nonce. `server-or-session`: either.
 * `anyone`: no credential needed, the merchant's own adds rights. `customer-page`: the token of an
 * opened customer page. `person`: a signed-in browser, for what concerns the person's own account.
 * `visitor`: a browser of our own pages that nobody has signed in with yet, or somebody has.
 * Spec: Authentication. Contract §6.
 */
export type Auth =
  | 'server'
  | 'bearer'
  | 'session'
  | 'server-or-session'
  | 'anyone'
  | 'customer-page'
  | 'person'
  | 'visitor';

/**
 * Which budget of contract §10 a call draws on, beside the client's overall one. `process` counts as
 * a payment of its address, and of its session once that could be paid.
 */
export type Limit =
  | 'client'
  | 'money'
  | 'session'
  /** Reads of a session: they take nothing from what changes it. */
  | 'session-read'
  | 'process'
  | 'session-create'
  /** Proofs of who somebody is: few an address and account. */
  | 'sign-in'
  /** What a signed-in person's pages ask for. */
  | 'person';

/**
 * How an agent may call it at `/mcp`: a row without one is not offered there. `read` only looks.
 * `write` changes what can be changed again. `money` asks for its scope whatever the row asks of
 * other callers, and acts only on the confirmation of a preview. Contract §6.
 */
export type Tool =
  | { readonly kind: 'read' }
  | { readonly kind: 'write' }
  | {
      readonly kind: 'money';
      readonly move: 'capture' | 'cancel' | 'refund';
      readonly scope: Scope;
    };

export type RowShape = {
  readonly spec: string;
  readonly summary: string;
  readonly call: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  readonly auth: Auth;
  readonly scope: Scope | null;
  /**
   * What an API token that has scopes needs where it is not `scope`: capture and cancel ask a Bearer
   * token for the role alone. Spec: Authentication 3. Contract §6.
   */
  readonly tokenScope?: Scope;
  readonly limit: Limit;
  /** True where `Idempotency-Key` is required. Spec: Payments, idempotency rules. */
  readonly idempotent?: true;
  /**
   * True where a person's browser must have proven lately who sits there: money and credentials.
   * Programs are never asked. Contract §6.
   */
  readonly asksRecentSignIn?: true;
  /** True where the answer may set or clear the cookie that a browser is signed in by. */
  readonly setsSignIn?: true;
  /**
   * True where the merchant's credential may come beside the session's nonce: the call is the
   * merchant's own then, who vouches for the buyer. Contract §3, Buyer.
   */
  readonly vouches?: true;
  /** True where browsers of other origins may call. Contract §3, Origins. */
  readonly browser?: true;
  readonly tool?: Tool;
  /** Field filters of a list: `field[op]=value`. Contract §2. */
  readonly filters?: Readonly<Record<string, TSchema>>;
  readonly input: {
    readonly path?: TObject;
    readonly query?: TObject;
    readonly headers?: TObject;
    readonly body?: TSchema;
  };
  /** Body by status; null is an empty body. */
  readonly answers: { readonly [status: number]: TSchema | null };
  readonly refuses: readonly ErrorCode[];
  readonly emits: readonly EventType[];
};

type At<I, P extends string> = I extends {
  readonly [K in P]: infer S extends TSchema;
}
  ? Static<S>
  : unknown;

/** What a filter compares by, where its field does not name fewer or more (`x-ops`). */
export const operators = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'] as const;
export type Operator = (typeof operators)[number] | 'startsWith';

/** The operators that a field filter takes. */
export const operatorsOf = (schema: TSchema): readonly Operator[] =>
  (schema as { readonly 'x-ops'?: readonly Operator[] })['x-ops'] ?? operators;

/** The one name of a filter that stands for many: of the metadata's fields. */
export const metadataFilter = 'metadata.<key>';

/** The name that a field goes by in `filters`: `metadata.order` is one of `metadata.<key>`. */
export const filterName = (field: string): string =>
  /^metadata\.[^[\]]{1,40}$/.test(field) ? metadataFilter : field;

/** A field filter as parsed from `field[op]=value`; `in` carries several values. Contract §2. */
export type Filter = {
  readonly field: string;
  readonly op: Operator;
  readonly values: readonly string[];
};

export type InputOf<R extends RowShape> = At<R['input'], 'path'> &
  At<R['input'], 'query'> &
  At<R['input'], 'headers'> &
  (R['input']['body'] extends TSchema ? { body: Static<R['input']['body']> } : unknown) &
  (R['filters'] extends object ? { filters: readonly Filter[] } : unknown);

/** `replay` holds the stored bytes of an earlier answer, sent unchanged. */
type Answer<A extends RowShape['answers']> = {
  [S in keyof A]: A[S] extends TSchema
    ? { status: S; body: Static<A[S]> } | { status: S; replay: string; isReplayed: boolean }
    : { status: S };
}[keyof A];
/** The value of the sign-in cookie; null forgets it. */
export type SignInCookie = { readonly value: string | null };
export type OutputOf<R extends RowShape> = Answer<R['answers']> &
  (R['setsSignIn'] extends true ? { setCookie?: SignInCookie } : unknown);

/** Keeps codes and statuses literal. */
export const row = <const R extends RowShape>(r: R): R => r;
