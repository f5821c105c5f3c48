// Events of a schedule that no actor causes: time, the provider's notices, people at the provider,
// buyers, late requests, and connections that the server closes. Reliability 2.1: F6, F16, F24-F26,
// F28, F35.

import { captureMarginMs } from '../../service/src/domain/payments/payment.ts';
import { isUnavailable } from '../../service/src/engine/is-unavailable.ts';
import { receiveNotice } from '../../service/src/engine/runs/notices/receive-notice.ts';
import type { ProviderEvent } from '../kit/provider-account.ts';
import { ProcessCrashed } from '../kit/scheduler.ts';
import type { LateRequest } from './gated-provider.ts';
import type { Processes } from './processes.ts';
import type { Shop, Parts as ShopParts } from './shop.ts';

/** How far time may move during the storm. */
export type Horizon = 'seconds' | 'leases' | 'a day' | 'the hold';
const order: readonly Horizon[] = ['seconds', 'leases', 'a day', 'the hold'];

const second = 1000;
const hour = 3600 * second;

type Parts = Omit<ShopParts, 'seed'> & {
  readonly shop: Shop;
  readonly processes: Processes;
  readonly horizon: Horizon;
  /** True when somebody else captures or cancels at the provider. */
  readonly isMeddled: boolean;
  readonly noticeWay: 'now' | 'late' | 'never';
};

type Event = { readonly name: string; readonly run: () => Promise<void> };

export class Surroundings {
  readonly violations: string[] = [];
  readonly #parts: Parts;
  #seen = new Map<string, ProviderEvent>();
  #deliveries = 0;
  #jumps = 0;
  #isMeddled: boolean;
  #largeJumpsLeft = 2;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#isMeddled = !parts.isMeddled;
  }

  /** Returns the events that are possible now. */
  events(): Event[] {
    const { shop, scheduler, horizon, noticeWay } = this.#parts;
    const reachesHorizon = (wanted: Horizon) => order.indexOf(horizon) >= order.indexOf(wanted);
    const found: Event[] = [{ name: 'a moment passes', run: () => this.#pass(1, 3 * second) }];
    const add = (is: boolean, name: string, run: () => Promise<void>) => {
      if (is) found.push({ name, run });
    };
    add(shop.provider.late.length > 0, 'a late request arrives', () => this.arriveLate());
    add(shop.database.orphans.length > 0, 'the server ends a lost session', () => this.endOrphan());
    add(reachesHorizon('leases') && this.#jumps < 4, 'a lease runs out', () => this.outlastLease());
    const isLarge = this.#largeJumpsLeft > 0;
    add(isLarge && reachesHorizon('a day'), 'an hour passes', () => this.#jumpFar(hour + second));
    add(isLarge && reachesHorizon('a day'), 'a day passes', () => this.#jumpFar(25 * hour));
    // More likely while an actor waits for a lock: time then overtakes a decision that was made
    // before.
    for (let more = 0; more < (scheduler.hasBlocked() ? 15 : 1); more++) {
      add(isLarge && reachesHorizon('the hold'), 'the hold runs out for us', () =>
        this.#endHold(second),
      );
    }
    add(isLarge && reachesHorizon('the hold'), 'the hold runs out', () =>
      this.#endHold(captureMarginMs + second),
    );
    add(noticeWay === 'now', 'a notice comes', () => this.deliver());
    add(!this.#isMeddled, 'somebody acts at the provider', () => this.#meddle());
    add(this.#hasChallenge(), 'the buyer answers the bank', () => this.answerChallenges());
    return found;
  }

  async outlastLease(): Promise<void> {
    const { time, shop } = this.#parts;
    this.#jumps += 1;
    await time.moveTo(time.ms + shop.ports.settings.leaseMs + second);
  }

  async arriveLate(): Promise<void> {
    const { shop, scheduler } = this.#parts;
    const { late } = shop.provider;
    await this.#arrive(late[scheduler.random.whole(0, late.length - 1)]);
  }

  async #arrive(request: LateRequest | undefined): Promise<void> {
    const { shop, scheduler, chances } = this.#parts;
    if (!request) return;
    shop.provider.late.splice(shop.provider.late.indexOf(request), 1);
    chances.count('a late request took effect or was replayed');
    scheduler.note('provider', request.label, 'arrives late');
    await request.run();
  }

  async endOrphan(): Promise<void> {
    const { shop, scheduler } = this.#parts;
    const orphan = scheduler.random.pick(shop.database.orphans);
    scheduler.note('server', orphan.label, `${orphan.end} of a lost session`);
    await shop.database.endOrphan(orphan);
    scheduler.lookAgain();
  }

  /** Delivers one notice, new or repeated, in any order. */
  async deliver(): Promise<void> {
    const { shop, scheduler, chances } = this.#parts;
    await this.#look();
    const events = [...this.#seen.values()];
    if (events.length === 0) return;
    const event = scheduler.random.pick(events);
    this.#spawnDelivery(event, `notice ${this.#deliveries + 1}`);
    const { object } = event.data;
    const about = shop.labels.of(String(object.payment_intent ?? object.id));
    if (scheduler.isAwaited(about)) chances.count('notice before the answer was settled');
  }

  /** Marks the events before the start as known. */
  async forgetPast(): Promise<void> {
    await this.#look();
    this.#seen.clear();
  }

  /** Delivers the newest event about everything, and some earlier events, out of order. */
  async deliverAll(): Promise<void> {
    const { scheduler } = this.#parts;
    await this.#look();
    const events = [...this.#seen.values()].reverse();
    const told = new Set<string>();
    for (const event of events) {
      const { id } = event.data.object;
      if (told.has(id) && !scheduler.random.chance(0.2)) continue;
      told.add(id);
      await this.#pass(1, 5);
      this.#spawnDelivery(event, `notice ${this.#deliveries + 1}`);
    }
  }

  async answerChallenges(): Promise<void> {
    const { shop, fixture, scheduler, chances } = this.#parts;
    await shop.learnNames(fixture.monitor);
    for (const { intentId, label } of shop.purchases) {
      if (!intentId) continue;
      const outcome = scheduler.random.chance(0.7) ? 'approve' : 'fail';
      chances.count('a buyer answered the bank');
      scheduler.note('buyer', label, outcome);
      await shop.account.answerChallenge(intentId, outcome);
    }
  }

  async #look(): Promise<void> {
    const { shop, fixture } = this.#parts;
    await shop.learnNames(fixture.monitor);
    const events = await shop.account.events();
    for (const event of events) {
      if (shop.labels.of(event.id)) continue;
      this.#seen.set(event.id, event);
      shop.labels.add('event', event.id);
    }
  }

  #spawnDelivery(event: ProviderEvent, name: string): void {
    const { shop, scheduler, chances } = this.#parts;
    this.#deliveries += 1;
    const body = JSON.stringify(event);
    scheduler.note('provider', `${event.type} ${shop.labels.of(event.id)}`, `sent as ${name}`);
    scheduler.spawn(name, this.#parts.processes.pick(), async () => {
      const signedAt = shop.nowMs();
      const headers = { 'stripe-signature': shop.sign(body) };
      try {
        const received = { gatewayId: shop.gatewayId, rawBody: Buffer.from(body), headers };
        const said = await receiveNotice(received, shop.ports);
        if (said === 'duplicate') chances.count('notice duplicated');
        const isYoung = shop.nowMs() - signedAt < 300 * second;
        if (said === 'refused' && isYoung)
          this.violations.push(`W a genuine ${event.type} was refused`);
      } catch (error) {
        if (error instanceof ProcessCrashed) throw error;
        if (!isUnavailable(error)) this.violations.push(`X1 a notice threw ${String(error)}`);
      }
    });
  }

  async #pass(from: number, to: number): Promise<void> {
    const { time, scheduler } = this.#parts;
    await time.moveTo(time.ms + scheduler.random.whole(from, to));
  }

  async #jumpFar(ms: number): Promise<void> {
    this.#largeJumpsLeft -= 1;
    await this.#moveFar(this.#parts.time.ms + ms);
  }

  /**
   * No request is in flight for longer than the provider remembers its key: that is a day, and
   * connections end within seconds.
   */
  async #moveFar(toMs: number): Promise<void> {
    const { shop, time } = this.#parts;
    if (toMs - time.ms > 24 * hour) {
      for (const request of [...shop.provider.late]) await this.#arrive(request);
    }
    await time.moveTo(toMs);
  }

  /**
   * Moves time to just after the first hold's end as the service stores it, or after the provider's
   * own deadline.
   */
  async #endHold(pastMs: number): Promise<void> {
    const { shop, fixture, time, scheduler, chances } = this.#parts;
    this.#largeJumpsLeft -= 1;
    const { rows } = await fixture.monitor.query<{ left: number | null }>({
      name: 'first_expiry',
      text: `select (extract(epoch from min(authorization_expires_at) - svc_clock()) * 1000)::float8
        as left from payments where client_id = $1`,
      values: [shop.clientId],
    });
    const left = rows[0]?.left ?? null;
    if (left === null) return;
    if (scheduler.hasBlocked()) chances.count('a hold ran out while a statement waited for a lock');
    chances.count('a hold ran out');
    await this.#moveFar(Math.round(Math.max(time.ms + 1, time.ms + left + pastMs)));
  }

  async #meddle(): Promise<void> {
    const { shop, fixture, scheduler, chances } = this.#parts;
    this.#isMeddled = true;
    await shop.learnNames(fixture.monitor);
    const held = shop.purchases.filter(({ intentId }) => intentId);
    if (held.length === 0) return;
    const { intentId, label } = scheduler.random.pick(held);
    const verb = scheduler.random.pick(['capture', 'cancel', 'expire']);
    const path = verb === 'expire' ? `holds/${intentId}/expire` : `intents/${intentId}/${verb}`;
    const isDone = await shop.account.act(path);
    scheduler.note('dashboard', `${verb} ${label}`, isDone ? 'done' : 'not possible');
    if (isDone) chances.count(`out of band: ${verb}`);
  }

  #hasChallenge(): boolean {
    return this.#parts.shop.hasChallenge && this.#parts.scheduler.step % 3 === 0;
  }
}
