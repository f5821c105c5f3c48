// The provider as a proof sees it: a few intents that guard themselves by state, refunds that only
// their key guards, and the ways in which an answer does not arrive.

import type { Word } from './reference.ts';

export type Intent = {
  readonly captureMethod: 'automatic' | 'manual';
  state: 'new' | 'action' | 'processing' | 'held' | 'captured' | 'released' | 'taken';
  because: 'expired' | 'canceled';
  deadline: number | null;
  captures: number;
  voids: number;
  /** What each key was answered with, for a day. */
  readonly records: Map<string, { readonly word: Word; readonly at: number }>;
};

export type Effect = 'authorize' | 'capture' | 'cancel';

/** How a request fares. */
export type Weather =
  | 'through'
  /** Executed; neither answer nor reading arrives. */
  | 'unseen'
  /** Executed; the answer is lost, the reading arrives. */
  | 'seen'
  /** Not executed, nothing arrives. */
  | 'lost'
  /** Executed after everybody stopped waiting. */
  | 'late'
  | 'refused'
  /** Of an attempt: declined, the buyer has to act, the provider takes its time. */
  | 'declined'
  | 'action'
  /** Of a refund or an attempt: accepted, and decided later. */
  | 'pending';

const dayMs = 24 * 3_600_000;

export class ProviderTruth {
  readonly intents = new Map<string, Intent>();
  /** By operation: a key is remembered with it. */
  readonly refunds = new Map<string, 'given' | 'under_way' | 'returned'>();
  /** Keys of requests that may have taken effect, whatever was heard of them. */
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

  /** Sends one request and says what comes back of it. */
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

  /** A key that took effect is answered as it was then, whatever happened since. */
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

  /** Ways in which an attempt does not end at once; nothing when it is simply confirmed. */
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

  /** The attempt is confirmed: by the request, or later by buyer or provider. */
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

  /** Somebody in the dashboard, or time. True when it took effect. */
  byHand(id: string, act: 'capture' | 'cancel' | 'expire'): boolean {
    const intent = this.intent(id);
    if (intent.state !== 'held') return false;
    if (act === 'capture') this.capture(intent);
    else this.#release(intent, act === 'expire' ? 'expired' : 'canceled');
    return true;
  }

  /** The money of a capture is taken back. */
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

  /** What was sent and given up takes effect now. Returns how many. */
  runLate(): number {
    const due = this.#late;
    this.#late = [];
    for (const work of due) work();
    return due.length;
  }
}
