// The course of one action that moves money, from the first press to its final response.

import { signal } from '@preact/signals';
import { countAction } from '../../kit/begun-actions.ts';
import type { CallFailure } from '../../kit/calls.ts';
import {
  type ActionIdentity,
  type ActionKind,
  askFor,
  type ResultOf,
  readStoredAction,
} from './money-action.ts';

export type RunHooks<T> = {
  readonly onDone: (result: T) => void;
  /** Called when nothing was moved: what the page shows may be outdated. */
  readonly onRefused: (failure: CallFailure) => void;
};

/** One action of a page. An action begun before a reload continues as `open`. */
export class MoneyRun<K extends ActionKind> {
  readonly state = signal<'asking' | 'busy' | 'open'>('asking');
  readonly failure = signal<CallFailure | null>(null);
  hooks: RunHooks<ResultOf<K>>;
  readonly #action: ActionIdentity<K>;
  #isAsking = false;

  constructor(action: ActionIdentity<K>, hooks: RunHooks<ResultOf<K>>) {
    this.#action = action;
    this.hooks = hooks;
    if (readStoredAction(action)?.sent) this.state.value = 'open';
  }

  /** A person whose identity is not proven is asked again on the next press, and not by the timer. */
  get isRepeated(): boolean {
    return this.state.value === 'open' && this.failure.value?.code !== 'recent_sign_in_required';
  }

  /** Sends the action; null repeats it as it was sent. A press during a call does nothing. */
  readonly ask = async (body: object | null): Promise<void> => {
    if (this.#isAsking) return;
    this.#isAsking = true;
    if (this.state.value === 'asking') {
      countAction();
      this.state.value = 'busy';
    }
    const answer = await askFor(this.#action, body);
    this.#isAsking = false;
    if (answer === null) {
      this.state.value = 'asking';
      return;
    }
    if (answer.state === 'done') {
      this.hooks.onDone(answer.result);
      return;
    }
    this.failure.value = answer.failure;
    this.state.value = answer.state === 'open' ? 'open' : 'asking';
    if (answer.state === 'not_done') this.hooks.onRefused(answer.failure);
  };
}
