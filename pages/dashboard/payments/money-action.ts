// One move of money that a person requests. Its idempotency key is made when the dialog opens, and stored
// in this tab until the service has given a final response, so that a second press, a reload or a lost
// response repeats the same move and never causes another one.

import type { CodeAfterKey } from '@svc/contract/errors/errors';
import { type CallFailure, call, failureOf } from '../../kit/calls.ts';
import type { AnswerFor, RowCall } from '../../kit/rows.ts';

/** `ask`: to ask a colleague to approve a refund; `approve` and `decline` decide what was asked for. */
export type ActionKind = 'refund' | 'ask' | 'capture' | 'cancel' | 'approve' | 'decline';

/** What identifies the move: merchant, person, payment, kind, and the refund request that it decides. */
export type ActionIdentity<K extends ActionKind = ActionKind> = {
  readonly clientId: string;
  readonly personId: string;
  readonly paymentId: string;
  readonly kind: K;
  readonly requestId?: string;
};

export type StoredAction = {
  readonly key: string;
  /** The typed values, by field. */
  readonly draft: Readonly<Record<string, string>>;
  /** The body as it was sent; null while nothing was sent, or when nothing of it was accepted. */
  readonly sent: object | null;
};

const nameOf = ({ clientId, personId, paymentId, kind, requestId }: ActionIdentity) =>
  `svc.act.${clientId}.${personId}.${paymentId}.${kind}${requestId ? `.${requestId}` : ''}`;

/** For browsers without sessionStorage: what is kept then lasts as long as the page. */
const ofThisPage = new Map<string, string>();

/** Keeps a text in this tab; null removes it. */
export function keepInTab(name: string, text: string | null): void {
  if (text === null) ofThisPage.delete(name);
  else ofThisPage.set(name, text);
  try {
    if (text === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    // sessionStorage is blocked; `ofThisPage` still has it.
  }
}

export function keptInTab(name: string): string | null {
  let text = ofThisPage.get(name) ?? null;
  try {
    text ??= sessionStorage.getItem(name);
  } catch {
    // sessionStorage is blocked; `ofThisPage` still has it.
  }
  return text;
}

const write = (action: ActionIdentity, kept: StoredAction | null): void =>
  keepInTab(nameOf(action), kept && JSON.stringify(kept));

/** Returns the action that was begun in this tab and has no final response. */
export function readStoredAction(action: ActionIdentity): StoredAction | null {
  const text = keptInTab(nameOf(action));
  return text === null ? null : (JSON.parse(text) as StoredAction);
}

/** Begins an action, or continues the one that was begun. */
export function beginAction(
  action: ActionIdentity,
  draft: StoredAction['draft'] = {},
): StoredAction {
  const before = readStoredAction(action);
  if (before) return before;
  const begun = { key: crypto.randomUUID(), draft, sent: null };
  write(action, begun);
  return begun;
}

/** Stores what is typed. A body that was sent stays as it was. */
export function keepDraft(action: ActionIdentity, draft: StoredAction['draft']): void {
  const kept = beginAction(action);
  if (kept.sent === null) write(action, { ...kept, draft });
}

/** Ends an action that was never sent, or that has its final response. */
export const endAction = (action: ActionIdentity): void => write(action, null);

/**
 * Listed here so that the script does not include the whole table of errors; the compiler checks the list
 * against that table.
 */
const codesAfterKey: Readonly<Record<CodeAfterKey, true>> = {
  amount_precision: true,
  authorization_expired: true,
  gateway_cancel_failed: true,
  gateway_capture_failed: true,
  no_second_person: true,
  own_refund_request: true,
  payment_changed: true,
  payment_disputed: true,
  payment_failed: true,
  payment_is_chargeback: true,
  payment_is_refund: true,
  payment_not_authorized: true,
  payment_not_captured: true,
  payment_unfinished: true,
  payment_voided: true,
  refund_amount_exceeds_available: true,
  refund_limit_exceeded: true,
  refund_request_decided: true,
  refund_request_expired: true,
  refund_requester_gone: true,
};

/**
 * Returns whether it is still unknown if money moved. `wasOpen`: an earlier call with this key had no
 * response. An error from before the key is looked up, such as 401, does not settle that call.
 */
function isUndecided({ status, code }: CallFailure, wasOpen: boolean): boolean {
  if (code !== null && Object.hasOwn(codesAfterKey, code)) return false;
  if (status === 0 || status >= 500 || code === 'payment_operation_in_progress') return true;
  return wasOpen;
}

const rowOf = {
  refund: 'POST /v1/payments/{paymentId}/refunds',
  ask: 'POST /v1/payments/{paymentId}/refund-requests',
  capture: 'PUT /v1/payments/{paymentId}/capture',
  cancel: 'PUT /v1/payments/{paymentId}/cancel',
  approve: 'POST /v1/refund-requests/{refundRequestId}/approve',
  decline: 'POST /v1/refund-requests/{refundRequestId}/decline',
} as const satisfies Readonly<Record<ActionKind, RowCall>>;

export type ResultOf<K extends ActionKind> = AnswerFor<(typeof rowOf)[K]>;

function send<K extends ActionKind>(action: ActionIdentity<K>, key: string, body: object) {
  const { clientId, kind, paymentId, requestId } = action;
  // A refund request is decided once by itself: its id is the key.
  const [about, options] = requestId
    ? [{ refundRequestId: requestId }, { clientId }]
    : [{ paymentId }, { clientId, key }];
  const row: (typeof rowOf)[ActionKind] = rowOf[kind];
  // The compiler does not follow which body the form of this kind has stored, nor which answer comes.
  return call(row, { ...about, body } as never, options) as Promise<ResultOf<K>>;
}

export type Answer<T> =
  | { readonly state: 'done'; readonly result: T }
  /** Nothing was moved. */
  | { readonly state: 'not_done'; readonly failure: CallFailure }
  /** The outcome is not known yet: the call must be repeated with the same key. */
  | { readonly state: 'open'; readonly failure: CallFailure };

/**
 * Sends the action, for the first time or again; `body` is used only the first time. Without a body it only
 * repeats what was sent: when nothing was sent, or all of it has its final response, it sends nothing and
 * returns null. A refund without an amount would refund everything.
 */
export async function askFor<K extends ActionKind>(
  action: ActionIdentity<K>,
  body: object | null,
): Promise<Answer<ResultOf<K>> | null> {
  const kept = body === null ? readStoredAction(action) : beginAction(action);
  const sent = kept?.sent ?? body;
  if (kept === null || sent === null) return null;
  const wasOpen = kept.sent !== null;
  // Stored before it is sent, so that a page that reloads in between sends the same body again.
  write(action, { ...kept, sent });
  try {
    const result = await send(action, kept.key, sent);
    endAction(action);
    return { state: 'done', result };
  } catch (cause) {
    const failure = failureOf(cause);
    if (isUndecided(failure, wasOpen)) return { state: 'open', failure };
    // A key with a final response is not used again: the next press is another action.
    write(action, { key: crypto.randomUUID(), draft: kept.draft, sent: null });
    return { state: 'not_done', failure };
  }
}
