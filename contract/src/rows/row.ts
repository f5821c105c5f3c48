// A row of the contract: one endpoint of the specification as data. Routes, validation, serialisation,
// OpenAPI, the libraries' types and the contract tests all use it.

import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorCode } from '../errors/errors.ts';
import type { EventType } from './event-types.ts';
import type { Permission } from './roles.ts';
import type { Scope } from './scopes.ts';

/**
 * Who may call. `server`: Client Basic, Bearer, or a person's browser that names a client. `bearer`: the
 * same without Basic. `session`: the session's nonce. `server-or-session`: either. `anyone`: no credential
 * is needed, and the merchant's own permits more. `customer-page`: the token of an opened customer page.
 * `person`: a signed-in browser, for the person's own account. `visitor`: a browser of our own pages,
 * signed in or not. Spec: Authentication. Contract §6.
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
 * The rate limit of contract §10 that a call counts towards, beside the client's overall one. `process`
 * counts as a payment of its address, and of its session once that can be paid.
 */
export type Limit =
  | 'client'
  | 'money'
  | 'session'
  /** Reads of a session, which do not use up the limit of its changes. */
  | 'session-read'
  | 'process'
  | 'session-create'
  /** Attempts to prove an identity: few per address and account. */
  | 'sign-in'
  /** Calls of a signed-in person's pages. */
  | 'person';

/**
 * How an agent may call the row at `/mcp`; a row without this is not offered there. `read` changes nothing.
 * `write` changes what can be changed back. `money` requires its scope whatever the row requires of other
 * callers, and acts only with the confirmation of a preview. Contract §6.
 */
export type Tool =
  | { readonly kind: 'read' }
  | {
      readonly kind: 'write';
      /** The body that an agent may send, where the row takes more. */
      readonly body?: TObject;
    }
  | {
      readonly kind: 'money';
      readonly move: 'capture' | 'cancel' | 'refund';
      readonly scope: Scope;
    };

/**
 * How a row answers more than a page of a merchant's records. A role without `permission` takes `rows` of
 * them at once. A role with it takes `mostRows`, null for any number; in a browser more than `rows` need a
 * recent proof of identity. The entry `action` of the audit log is committed before the first byte.
 */
export type Bulk = {
  readonly permission: Permission;
  readonly rows: number;
  readonly mostRows: number | null;
  readonly action: string;
};

export type RowShape = {
  readonly spec: string;
  readonly summary: string;
  readonly call: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  readonly auth: Auth;
  readonly scope: Scope | null;
  /**
   * The permission that the caller's role at the merchant must have; null where no role is needed, for buyers and
   * for a person's own account.
   */
  readonly permission: Permission | null;
  /**
   * The scope that an API token with scopes needs, where `scope` is null: capture and cancel require of a Bearer
   * token only its person's role. Spec: Authentication 3. Contract §6.
   */
  readonly tokenScope?: Scope;
  /**
   * For calls of a customer's page: the permission and scope that the creator of the page's link must have. A link
   * that the service mailed has all of them.
   */
  readonly ofMaker?: { readonly permission: Permission; readonly scope: Scope };
  readonly limit: Limit;
  /** True where `Idempotency-Key` is required. Spec: Payments, idempotency rules. */
  readonly idempotent?: true;
  /**
   * True where a merchant's credential may send `Idempotency-Key`: what the call creates is then created once, and a
   * repeat gets the same answer. Contract §2.
   */
  readonly createsOnce?: true;
  /**
   * True where a person's browser needs a recent proof of identity: money and credentials. Programs never
   * need one. Contract §6.
   */
  readonly asksRecentSignIn?: true;
  /** True where the response may set or clear the sign-in cookie. */
  readonly setsSignIn?: true;
  /**
   * True where the merchant's credential may accompany the session's nonce: the merchant then makes the
   * call and vouches for the buyer. Contract §3, Buyer.
   */
  readonly vouches?: true;
  /** True where browsers of other origins may call. Contract §3, Origins. */
  readonly browser?: true;
  readonly tool?: Tool;
  /** True where 200 is a file: text, sent as it is written. */
  readonly isFile?: true;
  readonly bulk?: Bulk;
  /** Field filters of a list: `field[op]=value`. Contract §2. */
  readonly filters?: Readonly<Record<string, TSchema>>;
  readonly input: {
    readonly path?: TObject;
    readonly query?: TObject;
    readonly headers?: TObject;
    readonly body?: TSchema;
  };
  /** Response body by status; null is an empty body. */
  readonly answers: { readonly [status: number]: TSchema | null };
  readonly refuses: readonly ErrorCode[];
  readonly emits: readonly EventType[];
};

/** The type of one part of a row's input. */
export type InputPart<I, P extends string> = I extends {
  readonly [K in P]: infer S extends TSchema;
}
  ? Static<S>
  : unknown;

/** The operators of a filter whose field does not list its own (`x-ops`). */
export const operators = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte'] as const;
export type Operator = (typeof operators)[number] | 'startsWith';

/** Returns the operators that a field filter accepts. */
export const operatorsOf = (schema: TSchema): readonly Operator[] =>
  (schema as { readonly 'x-ops'?: readonly Operator[] })['x-ops'] ?? operators;

/** The name of the filter that stands for every field of the metadata. */
export const metadataFilter = 'metadata.<key>';

/** Returns the name of a field in `filters`: `metadata.order` is one of `metadata.<key>`. */
export const filterName = (field: string): string =>
  /^metadata\.[^[\]]{1,40}$/.test(field) ? metadataFilter : field;

/** A field filter as parsed from `field[op]=value`; `in` carries several values. Contract §2. */
export type Filter = {
  readonly field: string;
  readonly op: Operator;
  readonly values: readonly string[];
};

export type InputOf<R extends RowShape> = InputPart<R['input'], 'path'> &
  InputPart<R['input'], 'query'> &
  InputPart<R['input'], 'headers'> &
  (R['input']['body'] extends TSchema ? { body: Static<R['input']['body']> } : unknown) &
  (R['filters'] extends object ? { filters: readonly Filter[] } : unknown);

/** `replay` holds the stored bytes of an earlier response, which are sent unchanged. */
type RowAnswer<A extends RowShape['answers']> = {
  [S in keyof A]: A[S] extends TSchema
    ? { status: S; body: Static<A[S]> } | { status: S; replay: string; isReplayed: boolean }
    : { status: S };
}[keyof A];
/** Sends a piece of a file; resolves when the next piece may follow. */
export type SendText = (text: string) => Promise<void>;
/** A text that is sent while it is written. `write` refuses before it begins the file, or not at all. */
export type TextFile = {
  /** Media type. */
  readonly type: string;
  /** Set for a file that is read from storage piece by piece: between the pieces it holds no connection. */
  readonly isKept?: true;
  /** `begin` takes the name under which the file is saved. */
  readonly write: (begin: (name: string) => SendText) => Promise<void>;
};
/** A file whose role, size and audit entry `engine/steps/reports/take-in-bulk.ts` has seen to. */
export type BulkFile = TextFile & { readonly isRecorded: true };
/** The value of the sign-in cookie; null deletes the cookie. */
export type SignInCookie = { readonly value: string | null };
export type OutputOf<R extends RowShape> = R['isFile'] extends true
  ? { readonly status: 200; readonly file: BulkFile }
  : RowAnswer<R['answers']> &
      (R['setsSignIn'] extends true ? { setCookie?: SignInCookie } : unknown);

/** Keeps the literal types of codes and statuses. */
export const row = <const R extends RowShape>(r: R): R => r;
