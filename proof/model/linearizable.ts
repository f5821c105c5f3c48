// Checker 3: whether what the callers of one payment saw could have happened one call after the
// other. The search of Wing and Gong over at most 30 calls; a call whose outcome nobody was told is
// left open, and may have taken effect at any time after it was sent, or never. Reliability 3.4.

export type SeenCall = {
  readonly kind: 'capture' | 'cancel' | 'refund' | 'read';
  readonly key: string;
  /** Of a refund, in minor units. */
  readonly amount?: number;
  readonly calledAt: number;
  /** Null when no answer came, or one that says that nobody knows. */
  readonly answeredAt: number | null;
  /** HTTP status and code; of a 200 or 201 the status of the payment that it shows. */
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

/** Whether the outcome was left open: no answer, or an answer that says so. */
const isOpen = ({ answer }: SeenCall): boolean =>
  answer === null || openCodes.includes(answer.code ?? '');

/** An order in which the calls make sense, as their places in the history; null when there is none. */
export function findOrder(history: readonly SeenCall[], start: Start): number[] | null {
  if (history.length > most) throw new Error(`${history.length} calls are too many to order`);
  const initial: State = {
    hold: start.status === 'authorized' ? 'held' : 'captured',
    refunded: 0,
    done: [],
  };
  const failed = new Set<string>();
  const search = (left: readonly number[], state: State): number[] | null => {
    // Open calls may never take effect, so they need no place.
    if (left.every((place) => isOpen(history[place] as SeenCall))) return [];
    const seen = JSON.stringify([left, state]);
    if (failed.has(seen)) return null;
    // Whoever was answered before another was sent comes before it.
    const earliest = Math.min(...left.map((place) => endOf(history[place] as SeenCall)));
    const first = left.filter((place) => (history[place] as SeenCall).calledAt <= earliest);
    const states = new Map(
      first.map((place) => [place, after(state, history[place] as SeenCall, { history, start })]),
    );
    const without = (place: number) => left.filter((other) => other !== place);
    // What changes nothing can go first: it only gets out of the way of the others.
    const still = first.find((place) => states.get(place)?.[0] === state);
    for (const place of still === undefined ? first : [still]) {
      for (const next of states.get(place) ?? []) {
        const rest = search(without(place), next);
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

const endOf = (call: SeenCall): number =>
  isOpen(call) ? Number.POSITIVE_INFINITY : (call.answeredAt ?? Number.POSITIVE_INFINITY);

type Scene = { readonly history: readonly SeenCall[]; readonly start: Start };

/** The states that the call may leave behind, given what its caller was told; none when it lies. */
function after(state: State, call: SeenCall, scene: Scene): State[] {
  if (call.kind === 'read') return shows(state, call, scene) ? [state] : [];
  const effect = effectOf(state, call, scene.start);
  if (isOpen(call)) return effect ? [effect] : [];
  const { status, code } = call.answer ?? { status: 0, code: null };
  if (status === 200 || status === 201) {
    // A refund that the provider refused is answered as such, and gave nothing back.
    if (call.answer?.shown === 'refund_failed') return state.hold === 'captured' ? [state] : [];
    return effect ? [effect] : [];
  }
  // Somebody was at it: true of any moment at which another call runs, or is open.
  if (code === 'payment_operation_in_progress') return overlaps(call, scene) ? [state] : [];
  if (code === 'payment_not_authorized') return state.hold === 'held' ? [] : [state];
  if (code === 'refund_amount_exceeds_available') {
    return call.kind === 'refund' && isTooMuch(state, call, scene) ? [state] : [];
  }
  // Refused by the provider, or before anything was accepted: nothing happened.
  return [state];
}

/** What the call does when it takes effect; null where it cannot. A key takes effect once. */
function effectOf(state: State, call: SeenCall, start: Start): State | null {
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
  one !== other && other.calledAt <= endOf(one) && one.calledAt <= endOf(other);

const overlaps = (call: SeenCall, { history }: Scene): boolean =>
  history.some((other) => other.kind !== 'read' && isConcurrent(call, other));

/** More than is left, counting what refunds under way may have reserved. */
function isTooMuch(state: State, call: SeenCall, { history, start }: Scene): boolean {
  if (state.hold !== 'captured') return true;
  const reserved = history
    .filter((other) => other.kind === 'refund' && isConcurrent(call, other))
    .filter((other) => !state.done.includes(`refund ${other.key}`))
    .reduce((sum, other) => sum + (other.amount ?? start.amount), 0);
  return (call.amount ?? 1) > start.amount - state.refunded - reserved;
}

/** Whether a reading tells the state; while a call runs the payment may say that nobody knows. */
function shows(state: State, call: SeenCall, scene: Scene): boolean {
  const shown = call.answer?.shown ?? null;
  if (shown === null) return true;
  if (shown === 'unknown') return overlaps(call, scene);
  if (state.hold === 'held') return shown === 'authorized';
  if (state.hold === 'released') return shown === 'voided';
  if (state.refunded === 0) return shown === 'succeeded';
  return shown === (state.refunded === scene.start.amount ? 'refunded' : 'partially_refunded');
}
