// Holds calls to a provider's accounts back, so that they keep to the rates that the provider
// publishes: the account's in all, that of each operation of its API, and the updates of one
// payment intent. docs/decisions/pace.md.

import type { Gateway, Holdup, PaceLimits, TakePaceShare, Urgency } from '../../engine/ports.ts';
import { changedIntent, endpointOf } from './endpoint.ts';
import { Turns } from './turns.ts';
import { UpdateCounts } from './update-counts.ts';

export type PacerSettings = {
  readonly takeShare: TakePaceShare;
  /** What the provider publishes for the mode; a gateway may have limits of its own. */
  readonly limits: PaceLimits;
  /** Called every second for an account whose calls wait, and once when none waits any more. */
  readonly onHoldup?: (gateway: Gateway, holdup: Holdup) => void;
};

export type PacedCall = { readonly method: string; readonly path: string };

/** The pace of one gateway's account. */
export type AccountPace = {
  /** Returns whether a request may go, at once or when its turn has come before `untilMs`. */
  take(
    call: PacedCall & { readonly urgency: Urgency },
    untilMs: number,
  ): boolean | Promise<boolean>;
  /** Slows down after a refusal. `reason` is the provider's word for the limit; null where it gave none. */
  refused(
    call: PacedCall,
    why: { readonly reason: string | null; readonly retryAfterMs: number | null },
  ): void;
};

const tellEveryMs = 1000;
/** A wait of less than this is the ordinary course. */
const worthTellingMs = 1000;

type Account = {
  gateway: Gateway;
  readonly limits: PaceLimits;
  readonly all: Turns;
  readonly endpoints: Map<string, Turns>;
  refused: number;
  isTold: boolean;
};

const turnsOf = ({ all, endpoints }: Account): Turns[] => [all, ...endpoints.values()];

export class Pacer {
  readonly #settings: PacerSettings;
  readonly #accounts = new Map<string, Account>();
  readonly #updates: UpdateCounts;
  readonly #telling: NodeJS.Timeout;

  constructor(settings: PacerSettings) {
    this.#settings = settings;
    this.#updates = new UpdateCounts(settings.takeShare);
    this.#telling = setInterval(() => this.#tell(), tellEveryMs).unref();
  }

  of(gateway: Gateway): AccountPace {
    return {
      take: (call, untilMs) => this.#take(gateway, call, untilMs),
      refused: (call, why) => this.#refused(gateway, call, why),
    };
  }

  close(): void {
    clearInterval(this.#telling);
    for (const account of this.#accounts.values()) {
      for (const turns of turnsOf(account)) turns.close();
    }
    this.#updates.close();
  }

  #take(
    gateway: Gateway,
    { method, path, urgency }: PacedCall & { readonly urgency: Urgency },
    untilMs: number,
  ): boolean | Promise<boolean> {
    const account = this.#accountOf(gateway);
    const endpoint = this.#endpointOf(account, endpointOf(method, path));
    const intent = changedIntent(method, path);
    return takeAll([
      ...(intent ? [() => this.#updates.take(gateway.accountId, intent, untilMs)] : []),
      ...(endpoint ? [() => endpoint.take(urgency, untilMs)] : []),
      () => account.all.take(urgency, untilMs),
    ]);
  }

  #refused(
    gateway: Gateway,
    { method, path }: PacedCall,
    { reason, retryAfterMs }: Parameters<AccountPace['refused']>[1],
  ): void {
    const account = this.#accountOf(gateway);
    account.refused += 1;
    const intent = changedIntent(method, path);
    if (reason === 'resource-specific' && intent) {
      this.#updates.refused(gateway.accountId, intent, retryAfterMs);
      return;
    }
    const endpoint = this.#endpointOf(account, endpointOf(method, path));
    const isOfEndpoint = reason?.startsWith('endpoint-') === true;
    ((isOfEndpoint && endpoint) || account.all).slowDown(retryAfterMs);
  }

  #accountOf(gateway: Gateway): Account {
    const limits = { ...this.#settings.limits, ...gateway.pace };
    const { accountId } = gateway;
    const known = this.#accounts.get(accountId);
    if (known && isSame(known.limits, limits)) return Object.assign(known, { gateway });
    const limit = { accountId, endpoint: '', perSecond: limits.perSecond };
    const all = new Turns(limit, this.#settings.takeShare);
    // Kept, so that the next report says that the calls of the former limits no longer wait.
    const { refused, isTold } = known ?? { refused: 0, isTold: false };
    const account = { gateway, limits, all, endpoints: new Map(), refused, isTold };
    this.#accounts.set(accountId, account);
    // Calls that wait by the former limits are made again later.
    for (const turns of known ? turnsOf(known) : []) turns.close();
    return account;
  }

  /** Undefined where the account's own limit is reached first. */
  #endpointOf({ gateway, limits, endpoints }: Account, endpoint: string): Turns | undefined {
    if (limits.endpointPerSecond >= limits.perSecond) return undefined;
    const known = endpoints.get(endpoint);
    if (known) return known;
    const { accountId } = gateway;
    const limit = { accountId, endpoint, perSecond: limits.endpointPerSecond };
    const turns = new Turns(limit, this.#settings.takeShare);
    endpoints.set(endpoint, turns);
    return turns;
  }

  #tell(): void {
    for (const [accountId, account] of this.#accounts) {
      const all = turnsOf(account).map((turns) => turns.waiting());
      const since = Math.min(...all.map((one) => one.since ?? Number.POSITIVE_INFINITY));
      const longestMs = Math.max(0, performance.now() - since);
      const { refused } = account;
      const isHeldUp = longestMs >= worthTellingMs || refused > 0;
      if (!isHeldUp && !account.isTold) continue;
      account.isTold = isHeldUp;
      account.refused = 0;
      const factor = Math.min(...all.map((one) => one.factor));
      const waiting = isHeldUp ? all.reduce((sum, { count }) => sum + count, 0) : 0;
      this.#settings.onHoldup?.(account.gateway, {
        accountId,
        longestMs,
        factor,
        refused,
        waiting,
      });
    }
  }
}

const isSame = (one: PaceLimits, other: PaceLimits): boolean =>
  one.perSecond === other.perSecond && one.endpointPerSecond === other.endpointPerSecond;

/** Takes one turn after the other; stays synchronous for as long as each has one at once. */
function takeAll(steps: readonly (() => boolean | Promise<boolean>)[]): boolean | Promise<boolean> {
  for (const [at, step] of steps.entries()) {
    const mayGo = step();
    if (mayGo === false) return false;
    if (mayGo === true) continue;
    const rest = steps.slice(at + 1);
    return mayGo.then((isMine) => isMine && takeAll(rest));
  }
  return true;
}
