import type { InputOf, OutputOf, RowShape } from '@svc/contract/rows/row';
import type { RefusalFacts } from '../domain/protocol/refusal.ts';
import { Refusal } from '../domain/protocol/refusal.ts';
import type { Caller, Ports } from './ports.ts';

/** Refuses with a code that the row declares; any other does not compile. */
export type Refuse<R extends RowShape> = (
  code: R['refuses'][number],
  facts?: RefusalFacts,
) => never;

/**
 * The identity of a request with a key: the header, and digests of the body, as sent and in
 * canonical form.
 */
export type RequestKey = {
  readonly idempotencyKey: string;
  readonly rawSha256: Buffer;
  readonly canonSha256: Buffer;
};

export type OperationInput<R extends RowShape> = InputOf<R> &
  (R['idempotent'] extends true ? RequestKey : unknown);

export type Operation<R extends RowShape> = (
  input: OperationInput<R>,
  caller: Caller,
  ports: Ports,
  refuse: Refuse<R>,
) => Promise<OutputOf<R>>;

/** Curried on purpose: with both in one call TypeScript widens the literal types of the answer. */
export const implement =
  <R extends RowShape>(_row: R) =>
  (run: Operation<R>): Operation<R> =>
    run;

/** The only way in which an operation refuses. */
export const refuse = (
  code: ConstructorParameters<typeof Refusal>[0],
  facts?: RefusalFacts,
): never => {
  throw new Refusal(code, facts);
};
