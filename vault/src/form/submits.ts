// The submits of one form: each sends the form's present card and reports the result to the page.

import type { Send } from './channel.ts';
import type { EnteredCard } from './face.ts';

/** The part of a form that a submit uses. */
export type SubmittedForm = {
  read(nowMs: number): EnteredCard;
  /** Marks the field that a code is about. */
  reject(code: string): void;
  sentence(code: string): string;
};

export class Submits {
  readonly #send: Send;
  /** The newest card that is being sent, and the submits that wait for its result. */
  #running: { readonly key: string; readonly ids: string[] } | undefined;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Submits of the same card share its result while it is sent; another card has its own. */
  async submit(form: SubmittedForm, id: string, mountToken: string): Promise<void> {
    const entered = form.read(Date.now());
    if (this.#running?.key === entered.key) {
      this.#running.ids.push(id);
      return;
    }
    const ids = [id];
    const running = { key: entered.key, ids };
    this.#running = running;
    const answer =
      'code' in entered
        ? { code: entered.code, retryable: false }
        : await entered.trade(mountToken);
    if (this.#running === running) this.#running = undefined;
    if ('token' in answer) {
      for (const waiting of ids) this.#send({ type: 'token', id: waiting, ...answer });
      return;
    }
    // By now the form may hold another card.
    if ('code' in entered || entered.holds()) form.reject(answer.code);
    const { code, retryable } = answer;
    const message = form.sentence(code);
    for (const waiting of ids) this.#send({ type: 'error', id: waiting, code, message, retryable });
  }
}
