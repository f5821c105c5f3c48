// The provider as a proof models it: a few intents that are protected by their state, refunds that
// are protected only by their key, and the ways in which a response is lost.

import type { Word } from './reference.ts';

export type Intent = {
  readonly captureMethod: 'automatic' | 'manual';
  state: 'new' | 'action' | 'processing' | 'held' | 'captured' | 'released' | 'taken';
  because: 'expired' | 'canceled';
  deadline: number | null;
  captures: number;
  voids: number;
  /** The recorded response of each key, kept for a day. */
  readonly records: Map<string, { readonly word: Word; readonly at: number }>;
};

export type Effect = 'authorize' | 'capture' | 'cancel';

/** What happens to a request. */
export type Weather =
  | 'through'
  /** Executed; neither the response nor a later read arrives. */
  | 'unseen'
  /** Executed; the response is lost, but a later read arrives. */
  | 'seen'
  /** Not executed, and nothing arrives. */
  | 'lost'
  /** Executed after every caller has stopped waiting. */
  | 'late'
  | 'refused'
  /** Only for an attempt: declined, the buyer must act, or the provider needs time. */
  | 'declined'
  | 'action'
  /** Only for a refund or an attempt: accepted, and decided later. */
  | 'pending';

const dayMs = 24 * 3_600_000;

export class ProviderTruth {
  readonly intents = new Map<string, Intent>();
  /** The refunds by operation, because the operation determines their key. */
  readonly refunds = new Map<string, 'given' | 'under_way' | 'returned'>();
  /** Keys of requests that may have taken effect, whatever was received about them. */
  readonly sent = new Set<string>();
  #late: (() => void)[] = [];

  open(id: string, captureMethod: Intent['captureMethod']): void {
    this.intents.set(id, {
      captureMethod,
      state: 'new',
      because: 'canceled',
      deadline: null,
      captures: 0,
      voids: 0,
      records: new Map(),
    });
  }

  intent(id: string): Intent {
    const found = this.intents.get(id);
    if (!found) throw new Error(`the provider knows no intent ${id}`);
    return found;
  }

  read(id: string): Word {
    const { state, because } = this.intent(id);
    if (state === 'released') return { said: 'released', because };
    if (state === 'new') return { said: 'silence' };
    if (state === 'taken') return { said: 'taken_back' };
    return { said: state };
  }

  /** Sends one request and returns what the caller receives. */
  send(
    id: string,
    { effect, key, now }: { effect: Effect; key: string; now: number },
    weather: Weather,
  ): Word {
    const intent = this.intent(id);
    const isFirst = !this.sent.has(key);
    this.sent.add(key);
    const onRecord = this.#recorded(intent, key, now);
    const execute = () => this.#execute(intent, effect, now);
    if (weather === 'lost') return { said: 'silence' };
    if (weather === 'late') {
      this.#late.push(() => {
        if (!intent.records.has(key) && execute()) {
          intent.records.set(key, { word: this.read(id), at: now });
        }
      });
      return { said: 'silence' };
    }
    if (onRecord) return this.#again(id, onRecord, weather);
    const record = (word: Word): Word => {
      intent.records.set(key, { word, at: now });
      return word;
    };
    if (effect === 'authorize' && intent.state === 'new' && weather !== 'unseen') {
      const word = this.#attempt(intent, weather);
      if (word) return record(word);
    } else if (effect !== 'authorize' && weather === 'refused' && intent.state === 'held') {
      return record({ said: 'refused', code: 'provider_error' });
    }
    const isDone = execute();
    const word = this.read(id);
    if (isDone) record(word);
    const isPlain = isFirst && key.endsWith('-1') && weather === 'through' && effect === 'cancel';
    if (!isDone && isPlain && word.said === 'released') return { ...word, isOthers: true };
    return weather === 'unseen' ? { said: 'silence' } : word;
  }

  /** A key that took effect gets its recorded response, whatever happened since. */
  #again(id: string, onRecord: Word, weather: Weather): Word {
    if (weather === 'unseen') return { said: 'silence' };
    const isRead = weather === 'seen' || onRecord.said === 'processing';
    return isRead && onRecord.said !== 'refused' ? this.read(id) : onRecord;
  }

  #recorded(intent: Intent, key: string, now: number): Word | undefined {
    const record = intent.records.get(key);
    if (record && now - record.at < dayMs) return record.word;
    intent.records.delete(key);
    return undefined;
  }

  /** Returns the result of an attempt that does not end at once; undefined when it is confirmed. */
  #attempt(intent: Intent, weather: Weather): Word | undefined {
    if (weather === 'declined' || weather === 'refused') {
      this.#release(intent, 'canceled');
      return { said: 'refused', code: weather === 'declined' ? 'declined' : 'unavailable' };
    }
    if (weather === 'action' || weather === 'pending') {
      intent.state = weather === 'action' ? 'action' : 'processing';
      return { said: intent.state };
    }
    return undefined;
  }

  #execute(intent: Intent, effect: Effect, now: number): boolean {
    const { state } = intent;
    const isPossible =
      effect === 'cancel'
        ? !['captured', 'released', 'taken'].includes(state)
        : state === (effect === 'authorize' ? 'new' : 'held');
    if (!isPossible) return false;
    if (effect === 'authorize') this.succeed(intent, now);
    else if (effect === 'capture') this.capture(intent);
    else this.#release(intent, 'canceled');
    return true;
  }

  /** Confirms the attempt, by the request itself or later by buyer or provider. */
  succeed(intent: Intent, now: number): void {
    if (intent.captureMethod === 'automatic') {
      this.capture(intent);
    } else {
      intent.state = 'held';
      intent.deadline = now + 7 * dayMs;
    }
  }

  capture(intent: Intent): void {
    intent.state = 'captured';
    intent.captures += 1;
  }

  #release(intent: Intent, because: Intent['because']): void {
    intent.state = 'released';
    intent.because = because;
    intent.voids += 1;
  }

  /** An act in the provider's dashboard, or the end of a hold. Returns true when it took effect. */
  byHand(id: string, act: 'capture' | 'cancel' | 'expire'): boolean {
    const intent = this.intent(id);
    if (intent.state !== 'held') return false;
    if (act === 'capture') this.capture(intent);
    else this.#release(intent, act === 'expire' ? 'expired' : 'canceled');
    return true;
  }

  /** Reverses a capture. */
  takeBack(id: string): boolean {
    const intent = this.intent(id);
    if (intent.state !== 'captured') return false;
    intent.state = 'taken';
    return true;
  }

  sendRefund(workId: string, intentId: string, weather: Weather): Word {
    const known = this.refunds.get(workId);
    const execute = () => {
      if (!this.refunds.has(workId) && !this.isTaken(intentId)) this.refunds.set(workId, 'given');
    };
    if (weather === 'lost') return { said: 'silence' };
    if (weather === 'late') {
      this.#late.push(execute);
      return { said: 'silence' };
    }
    if (weather === 'unseen') {
      execute();
      return { said: 'silence' };
    }
    if (known) return { said: known };
    if (this.isTaken(intentId)) return { said: 'refused', code: 'charge_not_refundable' };
    if (weather === 'refused' || weather === 'declined') {
      return { said: 'refused', code: 'provider_error' };
    }
    if (weather === 'pending') this.refunds.set(workId, 'under_way');
    execute();
    return { said: this.refunds.get(workId) ?? 'given' };
  }

  isTaken = (id: string): boolean => this.intent(id).state === 'taken';

  /** Executes requests whose callers have given up. Returns how many. */
  runLate(): number {
    const due = this.#late;
    this.#late = [];
    for (const work of due) work();
    return due.length;
  }
}
