// Watches a sandbox in a test: each call that ran has to be as the official SDK describes it.
import { createHash } from 'node:crypto';
import type { CardExchange } from '../core/exchanges.ts';
import { compareCard, isCompared } from './reference.ts';

export type Watch = {
  onCardExchange: (exchange: CardExchange) => void;
  /** Throws when a call or a response was not as the SDK describes it. */
  assertClean: () => void;
  /** How many exchanges wait for `assertClean`, which compares them. */
  readonly waiting: number;
};

const digestOf = ({ method, path, form, isByPage, body }: CardExchange): string =>
  createHash('sha256')
    .update(JSON.stringify([method, path, form, isByPage, body]))
    .digest('base64');

/** An exchange is kept only if it is compared, and once: a long run makes the same calls many times. */
export const watchCard = (): Watch => {
  const kept = new Map<string, CardExchange>();
  return {
    onCardExchange: (exchange) => {
      // `reference.ts` reads no declarations of checkout sessions, so their calls are not compared.
      if (exchange.path.startsWith('/v1/checkout/sessions') || !isCompared(exchange)) return;
      // Of a page's call only the form is compared.
      const compared = exchange.isByPage ? { ...exchange, body: '' } : exchange;
      const digest = digestOf(compared);
      if (!kept.has(digest)) kept.set(digest, compared);
    },
    assertClean: () => {
      const found = [...new Set([...kept.values()].flatMap(compareCard))];
      kept.clear();
      if (found.length === 0) return;
      throw new Error(`not as the card provider's SDK describes it:\n${found.join('\n')}`);
    },
    get waiting() {
      return kept.size;
    },
  };
};
