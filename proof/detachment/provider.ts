// Customers and saved methods at an unreliable provider: calls are refused, lost before or after
// they took effect, rejected, or take effect late; reads fail, or return the state before. It
// records what it did, and the results of a detachment are checked against these records.

import type { DetachOutcome, MethodKeeper } from '../../service/src/engine/ports.ts';
import type { Random } from '../kit/random.ts';
import type { Rates } from './rates.ts';

const trace = { httpStatus: null, providerCode: null, requestId: null };
const lost = { kind: 'in_doubt', cause: 'no_answer', trace } as const;
const refusal = { kind: 'refused', code: 'provider_error', trace } as const;

type Effect = () => Promise<boolean>;

export type Watch = {
  readonly random: Random;
  readonly rates: Rates;
  readonly count: (what: string) => void;
  /** Called right before the method is detached. */
  readonly onDetach: (methodId: string) => Promise<void>;
};

export class TroubledProvider {
  /** The default method of each customer. */
  readonly defaults = new Map<string, string | null>();
  /** The customer of each method; null once the method is detached. */
  readonly methods = new Map<string, string | null>();
  /** False: every call succeeds without a fault. */
  isTroubled = true;
  readonly #late: Effect[] = [];
  readonly #before = new Map<string, string | null>();
  /** The response to the newest detach; null when there was none. */
  lastDetach: string | null = null;
  readonly #watch: Watch;

  constructor(watch: Watch) {
    this.#watch = watch;
  }

  attach(methodId: string, customerId: string): void {
    this.methods.set(methodId, customerId);
    if (!this.defaults.has(customerId)) this.defaults.set(customerId, null);
  }

  /** Executes the calls that are in flight. */
  async arrive(): Promise<void> {
    for (const effect of this.#late.splice(0)) {
      this.#watch.count('a call took effect late');
      await effect();
    }
  }

  async #detach(methodId: string): Promise<boolean> {
    const customerId = this.methods.get(methodId);
    if (!customerId) return true;
    await this.#watch.onDetach(methodId);
    this.#before.set(methodId, customerId);
    this.methods.set(methodId, null);
    if (this.defaults.get(customerId) === methodId) this.defaults.set(customerId, null);
    return true;
  }

  /**
   * Methods that a late call made the default: nobody could know that when the default was
   * verified.
   */
  readonly lateDefaults = new Set<string>();

  async #setDefault(customerId: string, methodId: string | null): Promise<boolean> {
    if (methodId !== null && this.methods.get(methodId) !== customerId) return false;
    this.defaults.set(customerId, methodId);
    return true;
  }

  async #change(name: string, effect: Effect, methodId: string | null = null) {
    const { random, rates, count } = this.#watch;
    const settleEffect = async () =>
      (await effect()) ? ({ kind: 'confirmed', trace } as const) : refusal;
    if (!this.isTroubled) return settleEffect();
    if (this.#late.length > 0 && random.chance(0.3)) await this.arrive();
    const ways = [
      ['refused', rates.refused],
      ['lost before', rates.lostBefore],
      ['lost after', rates.lostAfter],
      ['late', rates.late],
      ['hollow', rates.hollow],
    ] as const;
    const way = ways.find(([, rate]) => random.chance(rate))?.[0];
    if (!way) return settleEffect();
    count(`${name}: ${way}`);
    if (way === 'refused') return refusal;
    if (way === 'hollow') return { kind: 'confirmed', trace } as const;
    if (way === 'lost after') await effect();
    if (way === 'late') {
      this.#late.push(effect);
      if (methodId) this.lateDefaults.add(methodId);
    }
    return lost;
  }

  async #letGo(methodId: string): Promise<DetachOutcome> {
    const { random, rates, count } = this.#watch;
    const customerId = this.methods.get(methodId);
    if (this.isTroubled && customerId && random.chance(rates.notDone)) {
      count('detachMethod: not done');
      this.lastDetach = 'not_done';
      return { kind: 'not_done', cause: 'turned_away', trace };
    }
    const outcome = await this.#change('detachMethod', () => this.#detach(methodId));
    this.lastDetach = outcome.kind;
    return outcome;
  }

  #isUnread(name: string): boolean {
    const { random, rates, count } = this.#watch;
    if (!this.isTroubled || !random.chance(rates.unread)) return false;
    count(`${name}: unread`);
    return true;
  }

  readonly keeper: Pick<
    MethodKeeper,
    'retrieveCustomer' | 'retrieveMethod' | 'setDefaultMethod' | 'detachMethod'
  > = {
    retrieveCustomer: async (customerId) => {
      if (this.#isUnread('retrieveCustomer')) return lost;
      const defaultMethodId = this.defaults.get(customerId);
      if (defaultMethodId === undefined) return { kind: 'missing', trace };
      return { kind: 'found', customer: { customerId, defaultMethodId }, trace };
    },
    retrieveMethod: async (methodId) => {
      if (this.#isUnread('retrieveMethod')) return lost;
      const { random, rates, count } = this.#watch;
      const before = this.#before.get(methodId);
      if (this.isTroubled && before && random.chance(rates.stale)) {
        count('retrieveMethod: stale');
        return { kind: 'found', method: { methodId, customerId: before }, trace };
      }
      const customerId = this.methods.get(methodId);
      if (customerId === undefined) return { kind: 'missing', trace };
      return { kind: 'found', method: { methodId, customerId }, trace };
    },
    setDefaultMethod: ({ customerId, methodId }) =>
      this.#change('setDefaultMethod', () => this.#setDefault(customerId, methodId), methodId),
    detachMethod: ({ methodId }) => this.#letGo(methodId),
  };
}
