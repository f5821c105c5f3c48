// Watches a sandbox in a test: each call that ran has to be as the official SDK describes it.
import type { CardExchange } from '../exchanges.ts';
import { compareCard } from './reference.ts';

export type Watch = {
  onCardExchange: (exchange: CardExchange) => void;
  /** Throws when a call or a response was not as the SDK describes it. */
  assertClean: () => void;
};

export const watchCard = (): Watch => {
  const kept: CardExchange[] = [];
  return {
    onCardExchange: (exchange) => {
      // The SDK's files do not describe these under the name by which they are called.
      if (!exchange.path.startsWith('/v1/checkout/sessions')) kept.push(exchange);
    },
    assertClean: () => {
      const found = [...new Set(kept.splice(0).flatMap(compareCard))];
      if (found.length === 0) return;
      throw new Error(`not as the card provider's SDK describes it:\n${found.join('\n')}`);
    },
  };
};
