// The events of `svc.on('request' | 'response', listener)`: every attempt, without its body; and the
// caller's logger.

import { SvcValidationError } from './errors.ts';

type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export type Logger = {
  debug?(message: string, fields: LogFields): void;
  warn?(message: string, fields: LogFields): void;
  error?(message: string, fields: LogFields): void;
};

export type RequestEvent = {
  readonly method: string;
  readonly origin: string;
  /** The path without the query, which may name buyers. */
  readonly path: string;
  /** From 0; it counts up with each repeat of the call. */
  readonly attempt: number;
  /** The same for every attempt of one call; undefined for a read. */
  readonly idempotencyKey: string | undefined;
};

export type ResponseEvent = RequestEvent & {
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly code: string | undefined;
  readonly durationMs: number;
};

export type CallEvents = { request: RequestEvent; response: ResponseEvent };

type Listener<K extends keyof CallEvents> = (event: CallEvents[K]) => void;

export class Listeners {
  readonly #logger: Logger;
  readonly #byName = { request: new Set<unknown>(), response: new Set<unknown>() };

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add<K extends keyof CallEvents>(name: K, listener: Listener<K>): void {
    if (typeof listener !== 'function') {
      throw new SvcValidationError('The listener must be a function.', {
        code: 'ParameterInvalid',
        param: 'listener',
      });
    }
    this.#of(name).add(listener);
  }

  remove<K extends keyof CallEvents>(name: K, listener: Listener<K>): void {
    this.#of(name).delete(listener);
  }

  /** A listener's error is logged: it must not decide the outcome of a payment. */
  tell<K extends keyof CallEvents>(name: K, event: CallEvents[K]): void {
    for (const listener of this.#of(name)) {
      try {
        listener(event);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        this.#logger.error?.('a listener failed', { message });
      }
    }
  }

  #of<K extends keyof CallEvents>(name: K): Set<Listener<K>> {
    if (!Object.hasOwn(this.#byName, name)) {
      throw new SvcValidationError(`There is no event ${name}; there are request and response.`, {
        code: 'ParameterInvalid',
        param: 'name',
      });
    }
    return this.#byName[name] as Set<Listener<K>>;
  }
}
