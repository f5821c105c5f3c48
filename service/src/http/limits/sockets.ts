// How many sockets this process keeps open, in total and for one address. Contract §10.

import { readFileSync } from 'node:fs';
import { type SocketLimits, socketRoom } from '@svc/contract/servers/sockets';
import type { Log } from '../wire/log.ts';
import type { LimitSettings } from './limits.ts';

type Settings = {
  readonly limits: LimitSettings | null;
  readonly trustedProxies: number;
  readonly log: Log;
  readonly nowMs: () => number;
};

/**
 * Sockets above the limit of open requests of an address, so that one request too many still gets
 * its error.
 */
const spare = 16;
const tellEveryMs = 60_000;

export function socketLimits({ limits, trustedProxies, log, nowMs }: Settings): SocketLimits {
  // Behind a proxy every visitor has the proxy's address.
  const isCounted = limits !== null && trustedProxies === 0;
  let nextMs = Number.NEGATIVE_INFINITY;
  return {
    ...socketRoom(readLimits(), isCounted ? limits.openPerAddress + spare : null),
    onTooMany() {
      if (nowMs() < nextMs) return;
      nextMs = nowMs() + tellEveryMs;
      log.warn('an address has too many open sockets; more of its sockets are closed');
    },
  };
}

function readLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // Not Linux: the default number is used.
    return undefined;
  }
}
