// One schedule from start to end: a storm of requests, workers and faults; then a calm phase in
// which everything that was begun is finished; then the remaining holds expire. It is checked after
// the calm phase and at the end.

import type { Mode } from '@svc/sandbox';
import { auditAll } from '../kit/audit.ts';
import { seeded } from '../kit/random.ts';
import { describeError, openCounters, type SeedFixture, type SeedRun } from '../kit/run-seeds.ts';
import { type Process, Scheduler } from '../kit/scheduler.ts';
import { Chances } from './chances.ts';
import { findViolations } from './check.ts';
import { Clients, isFinal, type PlannedRequest, type WorkerPass } from './clients.ts';
import { type Fixture, openFixture } from './fixture.ts';
import { type Play, planPlay } from './play.ts';
import { Processes } from './processes.ts';
import { type Parts, Shop } from './shop.ts';
import { Surroundings } from './surroundings.ts';
import { takeDate, VirtualTime } from './virtual-time.ts';

const stormSteps = 160;
const mostSteps = 5000;
const mostRounds = 40;
const workerPasses: readonly WorkerPass[] = ['settle in doubt', 'expire holds', 'read notices'];

/** Opens a fixture for one schedule after the other; the audit of the whole database comes last. */
export async function openSchedules(mode: Mode): Promise<SeedFixture> {
  const fixture = await openFixture(mode);
  return {
    run: (seed) => runSchedule(fixture, seed),
    // A refund whose outcome nobody can find out rightly waits for a person.
    judge: async () =>
      (await auditAll(fixture.url))
        .filter((one) => !/^R1[bc] /.test(one))
        .map((one) => `audit, ${mode}: ${one}`),
    close: () => fixture.close(),
  };
}

/** Runs the seed's schedule on the fixture. The same seed gives the same trace. */
async function runSchedule(fixture: Fixture, seed: number): Promise<SeedRun> {
  const random = seeded(
    Math.imul(seed, 0x9e3779b1) ^ (fixture.mode === 'guarded' ? 0 : 0x55555555),
  );
  const { sometimes, count } = openCounters();
  const time = new VirtualTime(fixture.monitor);
  const scheduler = new Scheduler(random, time, fixture.monitor);
  const chances = new Chances(random, count);
  const goBack = takeDate(time);
  const violations: string[] = [];
  const run = new Run({ fixture, seed, scheduler, chances, time });
  try {
    await time.moveTo(0);
    violations.push(...(await run.play()));
  } catch (error) {
    violations.push(...(await run.whyStuck()), `stuck: ${describeError(error)}`);
  } finally {
    goBack();
  }
  return { violations, trace: scheduler.trace, sometimes };
}

class Run {
  readonly #parts: Parts;
  #shop!: Shop;
  #clients!: Clients;
  #surroundings!: Surroundings;
  readonly #processes: Processes;
  #wishes: readonly PlannedRequest[] = [];
  #crashedWishes: PlannedRequest[] = [];
  #passes = 0;
  #isCalm = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#processes = new Processes(parts.scheduler.random);
  }

  async play(): Promise<string[]> {
    const { scheduler, chances, fixture, time } = this.#parts;
    const { random } = scheduler;
    chances.isSafe = true;
    this.#shop = await Shop.open(this.#parts);
    const shop = this.#shop;
    this.#clients = new Clients(shop, scheduler);
    const play = await planPlay({ shop, random, time, fixture });
    this.#wishes = play.wishes;
    this.#surroundings = new Surroundings({
      ...this.#parts,
      ...play,
      shop,
      processes: this.#processes,
    });
    await this.#surroundings.forgetPast();
    chances.isSafe = false;
    await this.#storm();
    await this.#calmDown(play.noticeWay);
    const first = await this.#judge({
      isMeddlingTold: play.noticeWay !== 'never',
      isEnd: false,
    });
    if (first.length > 0) return first;
    await this.#end();
    return this.#judge({ isMeddlingTold: true, isEnd: true });
  }

  /**
   * Work that is never finished often has an earlier violation about money as its cause: that is
   * reported first.
   */
  async whyStuck(): Promise<string[]> {
    try {
      return await this.#judge({ isMeddlingTold: false, isEnd: false });
    } catch {
      return [];
    }
  }

  async #storm(): Promise<void> {
    const { scheduler, chances } = this.#parts;
    const { random } = scheduler;
    for (const wish of this.#wishes) this.#start(wish, 3);
    this.#startWorker();
    await scheduler.settle();
    while (scheduler.step < stormSteps && !this.#isOver()) {
      const choices = scheduler.choices();
      const isTense = scheduler.hasBlocked();
      if (choices.length === 0 || random.chance(isTense ? 0.35 : 0.2)) {
        const events = this.#surroundings.events();
        if (this.#crashedWishes.length > 0) {
          events.push({ name: 'a client asks again', run: async () => this.#restart() });
        }
        const event = random.pick(events);
        scheduler.note('around', event.name, '');
        await event.run();
        await scheduler.settle();
        if (choices.length === 0) scheduler.endPauses();
        continue;
      }
      await this.#letOnOrFail(random.pick(choices));
    }
    chances.isSafe = true;
  }

  /** True when no client has work left; the worker alone makes no storm. */
  #isOver(): boolean {
    const { scheduler } = this.#parts;
    const isBusy = scheduler.actors().some(({ name }) => name !== 'worker');
    return !isBusy && this.#crashedWishes.length === 0;
  }

  async #letOnOrFail(gate: ReturnType<Scheduler['choices']>[number]): Promise<void> {
    const { scheduler, chances } = this.#parts;
    const { name, process } = gate.actor;
    const fault = chances.ofProcess();
    if (fault === 'crash' && scheduler.canCrash(process)) {
      scheduler.note(name, gate.label, `CRASH of ${process.name}`);
      return this.#crash(process);
    }
    if (fault === 'pause') {
      const { random } = scheduler;
      process.pausedUntil = scheduler.step + random.whole(6, 30);
      scheduler.note(name, gate.label, `${process.name} stands still`);
      chances.count('pause');
      if (!random.chance(0.6)) return;
      chances.count('paused past a lease');
      return this.#surroundings.outlastLease();
    }
    await this.#wakeAt(gate.wakeAt);
    await scheduler.letOn(gate);
  }

  async #wakeAt(ms: number): Promise<void> {
    const { time, scheduler } = this.#parts;
    if (ms <= time.ms) return;
    await time.moveTo(ms + (scheduler.random.chance(0.3) ? scheduler.random.whole(0, 1500) : 0));
  }

  async #crash(process: Process): Promise<void> {
    const { scheduler, chances } = this.#parts;
    chances.count('crash');
    const ended = scheduler.crash(process);
    this.#processes.replace(process);
    await scheduler.settle();
    for (const { name } of ended) {
      const wish = this.#wishes.find((one) => one.name === name);
      if (wish) this.#crashedWishes.push(wish);
      if (name === 'worker') this.#startWorker();
    }
  }

  #start(wish: PlannedRequest, tries: number): void {
    this.#parts.scheduler.spawn(wish.name, this.#processes.pick(), () =>
      this.#clients.ask(wish, tries),
    );
  }

  #restart(): void {
    const wish = this.#crashedWishes.shift();
    if (wish) this.#start({ ...wish }, 3);
  }

  /** Runs passes of every kind in any order until the storm is over. */
  #startWorker(): void {
    const { scheduler } = this.#parts;
    scheduler.spawn('worker', this.#processes.pick(), async () => {
      while (!this.#isCalm && this.#passes < 12) {
        this.#passes += 1;
        await this.#clients.work(scheduler.random.pick(workerPasses));
        await scheduler.gate('rest');
      }
    });
  }

  /** Without faults: everything that was begun is finished. */
  async #calmDown(noticeWay: Play['noticeWay']): Promise<void> {
    const { scheduler } = this.#parts;
    scheduler.note('around', 'calm', '');
    this.#isCalm = true;
    scheduler.endPauses();
    await this.#finishAll();
    await this.#drain();
    await this.#askAgain();
    if (noticeWay !== 'never') await this.#surroundings.deliverAll();
    await this.#finishAll();
    await this.#drain();
    await this.#askAgain();
  }

  /** Runs every actor to its end, and lets everything in flight arrive. */
  async #finishAll(): Promise<void> {
    const { scheduler } = this.#parts;
    const { database, provider } = this.#shop;
    await scheduler.settle();
    for (;;) {
      if (scheduler.step > mostSteps) throw new Error(`no rest after ${mostSteps} steps`);
      if (provider.late.length > 0 && scheduler.random.chance(0.3)) {
        await this.#surroundings.arriveLate();
      } else if (database.orphans.length > 0 && scheduler.random.chance(0.3)) {
        await this.#surroundings.endOrphan();
        await scheduler.settle();
      }
      const choices = scheduler.choices();
      if (choices.length > 0) {
        const gate = scheduler.random.pick(choices);
        await this.#wakeAt(gate.wakeAt);
        await scheduler.letOn(gate);
        continue;
      }
      const isQuiet = provider.late.length === 0 && database.orphans.length === 0;
      if (isQuiet && scheduler.actors().length === 0) return;
      if (isQuiet)
        throw new Error(`${scheduler.actors().map(({ name }) => name)} wait for nothing`);
    }
  }

  /** Runs the workers until no operation is open. R1. */
  async #drain(): Promise<void> {
    const { scheduler, time } = this.#parts;
    for (let round = 0; round < mostRounds; round++) {
      const open = await this.#openOperations();
      if (open === 0 && round > 0) return;
      // First the length of a lease, then the longest pause between two checks, then the buyer's
      // hour.
      await time.moveTo(time.ms + (round === 0 ? 31_000 : round < 8 ? 721_000 : 3_700_000));
      await this.#workOnce();
    }
    const isOpen = await this.#openOperations();
    if (isOpen > 0) throw new Error(`R1 ${isOpen} operations never came to rest`);
    scheduler.note('around', 'at rest', '');
  }

  async #workOnce(): Promise<void> {
    const { scheduler } = this.#parts;
    scheduler.spawn('worker', this.#processes.pick(), async () => {
      for (const pass of workerPasses) await this.#clients.work(pass);
    });
    await this.#finishAll();
  }

  async #openOperations(): Promise<number> {
    const { rows } = await this.#parts.fixture.monitor.query<{ open: number }>({
      name: 'open_operations',
      text: `select count(*)::int as open from payment_operations
        where client_id = $1 and state in ('active', 'in_doubt', 'awaiting_customer')`,
      values: [this.#shop.clientId],
    });
    return rows[0]?.open ?? 0;
  }

  /**
   * Every client without a final response repeats its request with the same key: two tries must
   * suffice. R1.
   */
  async #askAgain(): Promise<void> {
    const { answers } = this.#clients;
    const lastAnswer = (wish: PlannedRequest) =>
      answers.findLast(({ wish: { key } }) => key === wish.key);
    const unanswered = this.#wishes.filter((wish) => {
      const answer = lastAnswer(wish);
      return !answer || !isFinal(answer);
    });
    for (const wish of unanswered) this.#start(wish, 2);
    await this.#finishAll();
  }

  /** Expires the holds that nobody ended; unread notices are then a day old. */
  async #end(): Promise<void> {
    const { time, scheduler } = this.#parts;
    scheduler.note('around', 'all holds run out', '');
    await time.moveTo(time.ms + 9 * 24 * 3_600_000);
    await this.#workOnce();
    await this.#drain();
  }

  async #judge(known: { isMeddlingTold: boolean; isEnd: boolean }): Promise<string[]> {
    const { fixture, scheduler, chances } = this.#parts;
    await this.#shop.learnNames(fixture.monitor);
    const [failure] = scheduler.failures;
    if (failure) return [`an actor threw ${describeError(failure)}`];
    const seen = [
      ...this.#clients.violations,
      ...this.#surroundings.violations,
      ...this.#shop.provider.violations,
    ];
    const found = await findViolations({
      shop: this.#shop,
      processes: this.#processes,
      fixture,
      chances,
      answers: this.#clients.answers,
      ...known,
    });
    return [...seen, ...found];
  }
}
