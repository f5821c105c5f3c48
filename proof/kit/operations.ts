// Calls the product's operations in this process, and tells what the caller gets.

import { errorEntry } from '@svc/contract/errors/errors';
import { Refusal } from '../../service/src/domain/protocol/refusal.ts';
import { refuse } from '../../service/src/engine/implement.ts';
import { isUnavailable } from '../../service/src/engine/is-unavailable.ts';
import type { Caller, Ports } from '../../service/src/engine/ports.ts';
import { operations } from '../../service/src/operations/index.ts';
import { sessionCaller } from '../../service/test/harness.ts';

type Operations = typeof operations;
export type OperationName = keyof Operations;
export type InputOf<Name extends OperationName> = Parameters<Operations[Name]>[0];

export type OperationAnswer = {
  readonly status: number;
  /** The code of a refusal; null for a success. */
  readonly code: string | null;
  readonly body: Readonly<Record<string, unknown>> | null;
  /** The bytes of a success, as they were stored or as they are now. */
  readonly text: string | null;
};

type Success = { readonly status: number; readonly replay?: string; readonly body?: object };

/**
 * Returns the answer, a refusal, or 503 for an error that the layer causes itself: by default, that
 * the database is down. Anything else that the call throws is a bug.
 */
export async function answerOf(
  call: () => Promise<unknown>,
  isCaused: (error: unknown) => boolean = isUnavailable,
): Promise<OperationAnswer> {
  try {
    const { status, replay, body } = (await call()) as Success;
    const text = replay ?? (body ? JSON.stringify(body) : null);
    return { status, code: null, body: (body ?? null) as OperationAnswer['body'], text };
  } catch (error) {
    if (!(error instanceof Refusal) && !isCaused(error)) throw error;
    const code = error instanceof Refusal ? error.code : 'service_unavailable';
    return { status: errorEntry(code).status, code, body: null, text: null };
  }
}

export const callOperation = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  { caller, ports }: { readonly caller: Caller; readonly ports: Ports },
): Promise<unknown> =>
  (operations[name] as (...given: unknown[]) => Promise<unknown>)(input, caller, ports, refuse);

/** A checkout session and its buyer. */
export type BuyerSession = { readonly id: string; readonly nonce: string; readonly userId: string };

export const buyerEmail = 'buyer@example.test';

type SessionInput = Omit<InputOf<'createCheckoutSession'>['body'], 'accountData'>;

/** Creates a session with its cart, or, without products, one that a claim completes. */
export async function createSession(
  ports: Ports,
  userId: string,
  body: SessionInput,
): Promise<BuyerSession> {
  const caller: Caller = { kind: 'anonymous', requestId: 'req_proof', origin: null };
  const whose = body.products ? { accountData: { userId, email: buyerEmail } } : {};
  const input = { body: { currency: 'EUR', ...body, ...whose } };
  const answer = await callOperation('createCheckoutSession', input, { caller, ports });
  const { id, nonce } = (answer as { body: { id: string; nonce: string } }).body;
  return { id, nonce, userId };
}

type ProcessBody = InputOf<'processCheckoutSession'>['body'];
export type PaymentChoice = Pick<ProcessBody, 'expectedTotal'> & {
  readonly tokenizedData: NonNullable<ProcessBody['tokenizedData']>;
};

/** Pays a session as its buyer. */
export function paySession(
  ports: Ports,
  { id: sessionId, nonce, userId }: BuyerSession,
  choice: PaymentChoice,
): Promise<unknown> {
  const body = { sessionId, accountData: { userId, email: buyerEmail }, ...choice };
  const input = { sessionId, 'x-user-id': userId, body };
  return callOperation('processCheckoutSession', input, { caller: sessionCaller(nonce), ports });
}

/** What a worker does with an error when no error may happen. */
export const rethrow = (_: unknown, error: unknown): never => {
  throw error;
};

/** A worker whose database is down leaves its work to the next one. */
export const ignoreUnavailable = (_: unknown, error: unknown): void => {
  if (!isUnavailable(error)) throw error;
};
