// The table of cases that every shop goes through, with our plugin and with its own for the card provider. Each ends
// with the provider's ledger beside the shop's books, in major units.

import { setTimeout as pause } from 'node:timers/promises';
import { exponentOf } from '@svc/contract/values/currencies';
import { declinedCard, lateFailure, pay } from './buyer.ts';
import { type Ground, until } from './ground.ts';
import type { Books, Currency, Payable, Said } from './shop.ts';

/** What the provider did for the order of a case. */
export type Sums = { held: number; released: number; captured: number; refunded: number };

export type Outcome = {
  readonly name: string;
  /** Absent where the case could not be ended. */
  readonly ledger?: Sums;
  readonly books?: Books;
  /** What the presses came to, shortly. */
  readonly said: readonly string[];
  /** What is wrong; empty where the books agree with the ledger, and both with what was wanted. */
  readonly problems: readonly string[];
};

type Wanted = { captured: number; refunded: number; released?: number; hasOrder?: boolean };

/** One case under way: a cart of a currency, and what was said. */
export class Course {
  readonly ground: Ground;
  readonly said: string[] = [];
  readonly currency: Currency;
  cart = '';
  #since = 0;
  readonly #logged: number;

  constructor(ground: Ground, currency: Currency) {
    this.ground = ground;
    this.currency = currency;
    this.#logged = ground.shop.log().length;
  }

  get shop() {
    return this.ground.shop;
  }

  /** `cart`: one that was made before, in place of a guest's for the amount. */
  async begin(amount: number, cart?: string): Promise<Payable> {
    const before = await this.ground.movements(0);
    this.#since = before.at(-1)?.seq ?? 0;
    this.cart = cart ?? (await this.shop.createCart({ currency: this.currency, amount }));
    return this.shop.startPayment(this.cart);
  }

  async pay(payable: Payable, number?: string, saves?: boolean): Promise<string> {
    const block = { ...this.ground.block, builtInKey: this.ground.builtInKey };
    const said = await pay(block, payable, { number, saves });
    this.said.push(said === 'paid' ? 'paid' : 'not paid');
    return said;
  }

  /** Paid, ordered and held. */
  async hold(amount: number): Promise<void> {
    await this.pay(await this.begin(amount));
    await this.press('order', this.shop.placeOrder(this.cart));
  }

  async press(name: string, pressed: Promise<Said>): Promise<Said> {
    const said = await pressed;
    this.said.push(`${name} ${said.status}`);
    return said;
  }

  capture = () => this.press('capture', this.shop.capture(this.cart));
  refund = (amount: number) => this.press('refund', this.shop.refund(this.cart, amount));
  books = () => this.shop.books(this.cart);
  /** Waits for the order that somebody else than the buyer places. In Medusa it is there before its payment is. */
  ordered = (withinMs: number) => {
    const isPaid = ({ orderId, state }: Books) =>
      orderId !== null && /authorized|captured|settled/i.test(state);
    return until(this.books, isPaid, withinMs);
  };

  async ledger(): Promise<Sums> {
    const moved = await this.ground.movements(this.#since);
    const digits = exponentOf(this.currency);
    const sum = (kind: string) =>
      moved.filter((one) => one.kind === kind).reduce((total, { amount }) => total + amount, 0) /
      10 ** digits;
    return {
      held: sum('authorize'),
      released: sum('void'),
      captured: sum('capture'),
      refunded: sum('refund') - sum('refund_failed'),
    };
  }

  /** Waits for a sentence of the plugin in the shop's log, and keeps it. Throws when none comes. */
  async logs(sentence: RegExp, withinMs = 20_000): Promise<void> {
    const lines = async () =>
      this.shop
        .log()
        .slice(this.#logged)
        .split('\n')
        .find((line) => sentence.test(line));
    const line = await until(lines, (found) => found !== undefined, withinMs);
    if (!line) throw new Error(`the log says nothing like ${sentence}`);
    this.said.push(`log: ${/@svc[^"]*|\[SvcPlugin.*/.exec(line)?.[0] ?? line}`);
  }

  /** What must be refused in words. */
  async refused(work: () => Promise<unknown>): Promise<void> {
    const said = await work().then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (said === undefined) throw new Error('it was not refused');
    this.said.push(`refused: ${said}`);
  }

  /** Waits until books and ledger are as wanted, and says what is not. */
  async judge(name: string, wanted: Wanted, withinMs = 15_000): Promise<Outcome> {
    const look = async () => ({ books: await this.books(), ledger: await this.ledger() });
    const problemsOf = ({ books, ledger }: Awaited<ReturnType<typeof look>>) => {
      const { hasOrder = true, released = ledger.released, ...sums } = wanted;
      const found: string[] = [];
      if (ledger.released !== released) found.push(`released ${ledger.released}, not ${released}`);
      if ((books.orderId !== null) !== hasOrder) found.push(hasOrder ? 'no order' : 'an order');
      for (const key of ['captured', 'refunded'] as const) {
        if (ledger[key] !== sums[key])
          found.push(`ledger ${key} ${ledger[key]}, wanted ${sums[key]}`);
        if (books[key] !== ledger[key])
          found.push(`books ${key} ${books[key]}, ledger ${ledger[key]}`);
      }
      const open = ledger.held - ledger.released - ledger.captured;
      if (open > 0 && !hasOrder) found.push(`${open} held without an order`);
      return found;
    };
    const last = await until(look, (seen) => problemsOf(seen).length === 0, withinMs);
    return { name, ...last, said: this.said, problems: problemsOf(last) };
  }
}

export type Case = {
  readonly name: string;
  readonly currency?: Currency;
  run(course: Course): Promise<Wanted & { withinMs?: number }>;
};

/** A currency with other decimals than two. */
const partlyRefunded = (
  name: string,
  currency: Currency,
  [captured, refunded]: readonly [number, number],
): Case => ({
  name,
  currency,
  async run(course) {
    await course.hold(captured);
    await course.capture();
    await course.refund(refunded);
    return { captured, refunded };
  },
});

export const cases: readonly Case[] = [
  {
    name: 'paid, captured, refunded',
    async run(course) {
      await course.hold(20);
      await course.capture();
      await course.refund(5);
      await course.refund(15);
      return { captured: 20, refunded: 20 };
    },
  },
  {
    name: 'answer of a capture lost',
    async run(course) {
      await course.hold(20);
      const stop = course.ground.loseAnswers('/capture');
      await course.capture();
      stop();
      const { captured } = await course.books();
      if (captured === 0) await course.capture();
      return { captured: 20, refunded: 0 };
    },
  },
  {
    name: 'answer of a refund lost',
    async run(course) {
      await course.hold(20);
      await course.capture();
      const stop = course.ground.loseAnswers('refunds');
      await course.refund(5);
      stop();
      const { refunded } = await course.books();
      if (refunded === 0) await course.refund(5);
      return { captured: 20, refunded: 5 };
    },
  },
  {
    name: 'double press',
    async run(course) {
      await course.hold(20);
      await Promise.all([course.capture(), course.capture()]);
      await Promise.all([course.refund(5), course.refund(5)]);
      return { captured: 20, refunded: 5 };
    },
  },
  {
    name: 'two tabs',
    async run(course) {
      const first = await course.begin(20);
      const second = await course.shop.startPayment(course.cart);
      await Promise.all([course.pay(first), course.pay(second)]);
      const press = () => course.press('order', course.shop.placeOrder(course.cart));
      await Promise.all([press(), press()]);
      await course.capture();
      return { captured: 20, refunded: 0 };
    },
  },
  {
    name: 'webhook lost',
    async run(course) {
      course.ground.hooks.isLosing = true;
      // The buyer pays and closes the browser.
      await course.pay(await course.begin(20));
      await course.ordered(150_000);
      course.ground.hooks.isLosing = false;
      return { captured: 0, refunded: 0 };
    },
  },
  {
    name: 'webhook twice',
    async run(course) {
      await course.pay(await course.begin(20));
      await course.ordered(30_000);
      await course.ground.hooks.resend();
      await course.capture();
      await course.ground.hooks.resend();
      return { captured: 20, refunded: 0 };
    },
  },
  {
    name: 'everything resent',
    async run(course) {
      await course.hold(20);
      await course.capture();
      await course.refund(20);
      await course.press('order', course.shop.placeOrder(course.cart));
      await course.capture();
      await course.refund(20);
      await course.ground.hooks.resend();
      return { captured: 20, refunded: 20 };
    },
  },
  {
    name: 'total changed after the hold',
    async run(course) {
      const payable = await course.begin(20);
      // The news comes after the change: else the order is placed, and nothing can be added to it.
      course.ground.hooks.isLosing = true;
      await course.pay(payable);
      await course.shop.addToCart(course.cart, 10);
      course.ground.hooks.isLosing = false;
      await course.press('order', course.shop.placeOrder(course.cart));
      await course.pay(await course.shop.startPayment(course.cart));
      await course.press('order', course.shop.placeOrder(course.cart));
      await course.capture();
      return { captured: 30, refunded: 0 };
    },
  },
  {
    name: 'process killed in the middle',
    async run(course) {
      await course.hold(20);
      const killed = course.ground.whenAnswered('/capture', () => course.shop.kill());
      // A plugin that took the money earlier calls no provider here: its process is killed after ten seconds.
      const late = pause(10_000).then(() => course.shop.kill());
      await Promise.all([course.capture(), Promise.race([killed, late])]);
      await late;
      await course.shop.start();
      return { captured: 20, refunded: 0, withinMs: 150_000 };
    },
  },
  partlyRefunded('yen', 'JPY', [2379, 79]),
  partlyRefunded('dinar', 'KWD', [23.79, 0.79]),
  {
    // The provider takes dinars in steps of ten fils: what is charged must be the order's total, or nothing.
    name: 'dinar between two steps',
    currency: 'KWD',
    async run(course) {
      const nothing = { captured: 0, refunded: 0, hasOrder: false };
      try {
        await course.hold(23.795);
      } catch (error) {
        course.said.push(`refused: ${(error as Error).message}`);
        return nothing;
      }
      await course.capture();
      return { captured: 23.795, refunded: 0 };
    },
  },
  {
    name: 'declined then paid',
    async run(course) {
      const payable = await course.begin(20);
      await course.pay(payable, declinedCard);
      await course.press('order', course.shop.placeOrder(course.cart));
      const { orderId } = await course.books();
      if (orderId) course.said.push('ordered unpaid');
      await course.pay(await course.shop.startPayment(course.cart));
      await course.press('order', course.shop.placeOrder(course.cart));
      await course.capture();
      return { captured: 20, refunded: 0 };
    },
  },
  {
    // Last: it moves the provider's clock.
    name: 'refund failed later',
    async run(course) {
      await course.pay(await course.begin(20), lateFailure);
      await course.press('order', course.shop.placeOrder(course.cart));
      await course.capture();
      await course.refund(20);
      await course.ground.advance(86_400);
      return { captured: 20, refunded: 0, withinMs: 150_000 };
    },
  },
];

type Running = {
  readonly cases: readonly Case[];
  readonly words: string;
  readonly signal: AbortSignal;
  readonly told: (outcome: Outcome) => void;
};

/** Runs the cases whose names contain the words, one after the other. */
export async function runCases(ground: Ground, running: Running): Promise<void> {
  const { words, signal, told } = running;
  const pattern = new RegExp(words);
  for (const { name, currency = 'EUR', run } of running.cases.filter((one) =>
    pattern.test(one.name),
  )) {
    if (signal.aborted) return;
    const course = new Course(ground, currency);
    try {
      const { withinMs, ...wanted } = await run(course);
      told(await course.judge(name, wanted, withinMs));
    } catch (error) {
      told({ name, said: course.said, problems: [String(error)] });
    }
  }
}

export const describe = ({ name, ledger, books, said, problems }: Outcome): string =>
  `${problems.length === 0 ? 'right' : `WRONG (${problems.join('; ')})`}: ${name}: ${said.join(', ')}; ledger ${JSON.stringify(ledger)}, books ${JSON.stringify(books)}`;
