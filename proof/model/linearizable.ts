// Checker 3: whether the responses to the callers of one payment are possible when the calls run
// one after the other. It uses the search of Wing and Gong over at most 30 calls. A call without a
// known outcome is open: it may have taken effect at any time after it was sent, or never.

export type SeenCall = {
  readonly kind: 'capture' | 'cancel' | 'refund' | 'read';
  readonly key: string;
  /** The amount of a refund, in minor units. */
  readonly amount?: number;
  readonly calledAt: number;
  /** Null when there was no response, or one that the outcome is unknown. */
  readonly answeredAt: number | null;
  /** HTTP status and code; for 200 or 201 the payment status in the body. */
  readonly answer: {
    readonly status: number;
    readonly code: string | null;
    readonly shown: string | null;
  } | null;
};

export type Start = { readonly amount: number; readonly status: 'authorized' | 'succeeded' };

type State = {
  readonly hold: 'held' | 'captured' | 'released';
  readonly refunded: number;
  /** Keys that took effect, with their kind. */
  readonly done: readonly string[];
};

const most = 30;
const openCodes = ['gateway_outcome_unknown', 'service_unavailable', 'internal_error'];

/** Whether the outcome is open: no response, or one that states that the outcome is unknown. */
const isOpen = ({ answer }: SeenCall): boolean =>
  answer === null || openCodes.includes(answer.code ?? '');

/** Whether an operation was running: another one, or the call's own in the hands of a worker, which goes on. */
const isBusy = ({ answer }: SeenCall): boolean => answer?.code === 'payment_operation_in_progress';

/**
 * Returns an order in which the responses are possible, as indices into the history; null when
 * there is none.
 */
export function findOrder(history: readonly SeenCall[], start: Start): number[] | null {
  if (history.length > most) throw new Error(`${history.length} calls are too many to order`);
  const initial: State = {
    hold: start.status === 'authorized' ? 'held' : 'captured',
    refunded: 0,
    done: [],
  };
  const failed = new Set<string>();
  const search = (left: readonly number[], state: State): number[] | null => {
    // Calls that may never take effect need no place in the order.
    if (left.every((place) => mayStayOut(history[place] as SeenCall, history))) return [];
    const seen = JSON.stringify([left, state]);
    if (failed.has(seen)) return null;
    // A call that was answered before another one was sent comes before it.
    const earliest = Math.min(...left.map((place) => endTimeOf(history[place] as SeenCall)));
    const first = left.filter((place) => (history[place] as SeenCall).calledAt <= earliest);
    const states = new Map(
      first.map((place) => [
        place,
        statesAfter(state, history[place] as SeenCall, { history, start }),
      ]),
    );
    const withoutIndex = (place: number) => left.filter((other) => other !== place);
    // A call that changes nothing can go first: it does not affect the others.
    const still = first.find((place) => states.get(place)?.[0] === state);
    for (const place of still === undefined ? first : [still]) {
      for (const next of states.get(place) ?? []) {
        const rest = search(withoutIndex(place), next);
        if (rest) return [place, ...rest];
      }
    }
    failed.add(seen);
    return null;
  };
  return search(
    history.map((_, place) => place),
    initial,
  );
}

export const isLinearizable = (history: readonly SeenCall[], start: Start): boolean =>
  findOrder(history, start) !== null;

const endTimeOf = (call: SeenCall): number =>
  isOpen(call) || isBusy(call)
    ? Number.POSITIVE_INFINITY
    : (call.answeredAt ?? Number.POSITIVE_INFINITY);

type CheckInput = { readonly history: readonly SeenCall[]; readonly start: Start };

/**
 * Returns the states that are possible after the call, given its response; none when the response
 * is false.
 */
function statesAfter(state: State, call: SeenCall, scene: CheckInput): State[] {
  if (call.kind === 'read') return mayShow(state, call, scene) ? [state] : [];
  const effect = stateAfterEffect(state, call, scene.start);
  if (isOpen(call) || isBusy(call)) return effect ? [effect] : [];
  const { status, code } = call.answer ?? { status: 0, code: null };
  if (status === 200 || status === 201) {
    // A refund that the provider refused returns this status, and moved no money.
    if (call.answer?.shown === 'refund_failed') return state.hold === 'captured' ? [state] : [];
    return effect ? [effect] : [];
  }
  if (code === 'payment_not_authorized') return state.hold === 'held' ? [] : [state];
  const isUnpaid = /^payment_(?:not_captured|voided|failed|unfinished)$/.test(code ?? '');
  if (isUnpaid) return call.kind === 'refund' && state.hold !== 'captured' ? [state] : [];
  if (code === 'refund_amount_exceeds_available') {
    return call.kind === 'refund' && isTooMuch(state, call, scene) ? [state] : [];
  }
  // The request was refused by the provider or before it was accepted: nothing happened.
  return [state];
}

/** Returns the state after the call takes effect; null when it cannot. A key takes effect once. */
function stateAfterEffect(state: State, call: SeenCall, start: Start): State | null {
  const name = `${call.kind} ${call.key}`;
  if (state.done.includes(name)) return state;
  const done = [...state.done, name].sort();
  if (call.kind === 'refund') {
    const refunded = state.refunded + (call.amount ?? start.amount - state.refunded);
    const isPossible = state.hold === 'captured' && refunded <= start.amount;
    return isPossible ? { ...state, refunded, done } : null;
  }
  if (state.hold !== 'held') return null;
  return { ...state, hold: call.kind === 'capture' ? 'captured' : 'released', done };
}

const isConcurrent = (one: SeenCall, other: SeenCall): boolean =>
  one !== other && other.calledAt <= endTimeOf(one) && one.calledAt <= endTimeOf(other);

/** Whether another call ran or was open until this one was answered. */
const overlapsOther = (call: SeenCall, history: readonly SeenCall[]): boolean =>
  history.some(
    (other) =>
      other !== call &&
      other.kind !== 'read' &&
      other.calledAt <= (call.answeredAt ?? Number.POSITIVE_INFINITY) &&
      call.calledAt <= endTimeOf(other),
  );

/** Whether the amount exceeds what is left, counting what running refunds may have reserved. */
function isTooMuch(state: State, call: SeenCall, { history, start }: CheckInput): boolean {
  const reserved = history
    .filter((other) => other.kind === 'refund' && isConcurrent(call, other))
    .filter((other) => !state.done.includes(`refund ${other.key}`))
    .reduce((sum, other) => sum + (other.amount ?? start.amount), 0);
  return (call.amount ?? 1) > start.amount - state.refunded - reserved;
}

/** A busy call stays out where another call runs or is open, or where a repeat of its key was refused for good. */
const mayStayOut = (call: SeenCall, history: readonly SeenCall[]): boolean =>
  isOpen(call) ||
  (isBusy(call) &&
    (overlapsOther(call, history) || history.some((other) => isRefusedRepeat(other, call))));

const isRefusedRepeat = (other: SeenCall, { kind, key }: SeenCall): boolean =>
  other.kind === kind &&
  other.key === key &&
  !isOpen(other) &&
  !isBusy(other) &&
  (other.answer?.status ?? 0) >= 400;

/** Whether a read may return the state; while a call runs, the payment may be shown as unknown. */
function mayShow(state: State, call: SeenCall, scene: CheckInput): boolean {
  const shown = call.answer?.shown ?? null;
  if (shown === null) return true;
  if (shown === 'unknown') return overlapsOther(call, scene.history);
  if (state.hold === 'held') return shown === 'authorized';
  if (state.hold === 'released') return shown === 'voided';
  if (state.refunded === 0) return shown === 'succeeded';
  return shown === (state.refunded === scene.start.amount ? 'refunded' : 'partially_refunded');
}
