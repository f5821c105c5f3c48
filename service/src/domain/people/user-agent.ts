import { containsCardNumber } from '@svc/contract/vault/card-number';

/** The browser or program that a visitor names, as it is kept; undefined where it names none, or a card number. */
export function readUserAgent(named: string | undefined): string | undefined {
  const agent = named?.replace(/[^\x20-\x7e]/g, '?').slice(0, 300);
  return agent === undefined || containsCardNumber(agent) ? undefined : agent;
}
