// Detects guesses at one merchant's credential. It warns and locks nobody out: otherwise anybody
// could lock a merchant out by guessing. Reliability §5.1.

import { writtenUuidPattern } from '../../domain/protocol/uuid.ts';

const windowMs = 60_000;
const mostClients = 10_000;

/** This many failures in a minute cannot be typing mistakes. */
const guessesToWarn = 200;

type Settings = {
  readonly nowMs: () => number;
  /** Called at most once a minute for a client. */
  readonly warn: (clientId: string) => void;
};

/** Counts failed Basic credentials in this process, by the client that they name. */
export function watchGuesses({
  nowMs,
  warn,
}: Settings): (authorization: readonly string[]) => void {
  const counts = new Map<string, { failures: number; sinceMs: number }>();
  return (authorization) => {
    const clientId = namedClient(authorization);
    if (clientId === undefined) return;
    const now = nowMs();
    const known = counts.get(clientId);
    if (!known || now - known.sinceMs >= windowMs) {
      // The names may be invented, so the number of counters is bounded.
      if (!known && counts.size >= mostClients) counts.clear();
      counts.set(clientId, { failures: 1, sinceMs: now });
      return;
    }
    known.failures += 1;
    if (known.failures === guessesToWarn) warn(clientId);
  };
}

/** Returns the user name of the first Basic credential when it has the form of a client's id. */
function namedClient([value = '']: readonly string[]): string | undefined {
  const encoded = /^basic ([A-Za-z0-9+/]{48,}={0,2})$/i.exec(value.slice(0, 1024))?.[1];
  if (encoded === undefined) return undefined;
  const [user = ''] = Buffer.from(encoded, 'base64').toString('latin1').split(':', 1);
  const clientId = user.toLowerCase();
  return writtenUuidPattern.test(clientId) ? clientId : undefined;
}
