// The commands of the pure layer, as fast-check creates and shrinks them. Each is possible at any
// time: both sides must agree on what must not happen then.

import fc from 'fast-check';
import type { DisputeAct } from './dispute-book.ts';
import type { Scenario, SendOutcome } from './scenario.ts';

type Step = { readonly name: string; readonly run: (scenario: Scenario) => void };

/** fast-check requires a model and a real system; the scenario contains both. */
export type PureCommand = fc.Command<Scenario, Scenario>;

const command = (text: string, run: Step['run']): PureCommand => ({
  check: () => true,
  run: (scenario) => {
    // Every command moves the clock by one; nothing else moves it.
    scenario.setClock(scenario.model.now + 1);
    scenario.count(text.split(' ')[0] ?? text);
    run(scenario);
    scenario.compare();
  },
  toString: () => text,
});

const repeatValue = <T>(times: number, value: T): T[] => Array.from({ length: times }, () => value);

const then = fc.constantFrom<SendOutcome>(
  ...repeatValue(4, 'through' as const),
  ...repeatValue(2, 'in_flight' as const),
  'unseen',
  'seen',
  'lost',
  'late',
  'refused',
  'pending',
  'crash',
  'crash_after',
);
const attempt = fc.constantFrom<SendOutcome>(
  ...repeatValue(8, 'through' as const),
  'in_flight',
  'unseen',
  'seen',
  'lost',
  'late',
  'declined',
  'action',
  'pending',
  'refused',
  'crash',
);
const payment = fc.nat(3);
/** Sometimes picks a payment that does not exist. */
const paymentOrNone = fc.constantFrom(0, 0, 0, 1, 1, 2, 3, -1);
const key = fc.constantFrom('a', 'b', 'c');
const body = fc.constantFrom('{}', '{}', '{}', '{"n":1}');

const pay = fc
  .record({ captureMethod: fc.constantFrom('manual', 'manual', 'automatic' as const), attempt })
  .map((given) =>
    command(`pay ${given.captureMethod} ${given.attempt}`, (scenario) => {
      if (scenario.model.purchases.size < 4) scenario.pay(given.captureMethod, given.attempt);
    }),
  );

const hold = fc
  .record({
    kind: fc.constantFrom('capture', 'cancel' as const),
    payment: paymentOrNone,
    key,
    body,
    then,
  })
  .map((given) =>
    command(`${given.kind} ${JSON.stringify(given)}`, (scenario) => {
      const purchaseId = scenario.pick(given.payment) ?? 'nowhere';
      const { kind, key, body } = given;
      scenario.call({ kind, purchaseId, key, body, amount: null }, given.then);
    }),
  );

const refund = fc
  .record({ payment: paymentOrNone, key, amount: fc.constantFrom(null, 1, 2, 3, 6, 7), then })
  .map((given) =>
    command(`refund ${JSON.stringify(given)}`, (scenario) => {
      const purchaseId = scenario.pick(given.payment) ?? 'nowhere';
      const { key, amount } = given;
      const rest = { key, amount, body: String(amount) };
      scenario.call({ kind: 'refund', purchaseId, ...rest }, given.then);
    }),
  );

const answer = fc
  .record({ pick: fc.nat(5), then })
  .map(({ pick, then }) =>
    command(`answer ${pick} ${then}`, (scenario) => scenario.answer(pick, then)),
  );

const second = 1000;
const hour = 3600 * second;
const clock = fc
  .constantFrom('lease', 'lease', 'hour', 'day', 'end', 'deadline', 'week')
  .map((to) =>
    command(`clock ${to}`, (scenario) => {
      const { model } = scenario;
      const ends = [...model.purchases.values()].flatMap(({ expiresAt }) => expiresAt ?? []);
      const next = Math.min(...ends.filter((end) => end > model.now));
      const end = Number.isFinite(next) ? next : model.now + second;
      const jumps: Record<string, number> = {
        lease: model.now + 31 * second,
        hour: model.now + hour + second,
        day: model.now + 25 * hour,
        week: model.now + 7 * 24 * hour,
        // Up to the last millisecond of a hold; the next command finds it expired.
        end: end - 2,
        deadline: end + 60 * second,
      };
      scenario.setClock(jumps[to] ?? model.now);
    }),
  );

const byHand = fc
  .record({
    payment,
    act: fc.constantFrom('capture', 'cancel', 'expire', 'finish', 'finish', 'give_up' as const),
  })
  .map(({ payment, act }) =>
    command(`byHand ${payment} ${act}`, (scenario) => scenario.byHand(payment, act)),
  );

const takeBack = payment.map((index) =>
  command(`takeBack ${index}`, (scenario) => scenario.takeBack(index)),
);
const notice = payment.map((index) =>
  command(`notice ${index}`, (scenario) => scenario.notice(index)),
);
const refundNotice = fc
  .record({
    pick: fc.nat(5),
    to: fc.constantFrom('returned', 'returned', 'given', 'under_way' as const),
  })
  .map(({ pick, to }) =>
    command(`refundNotice ${pick} ${to}`, (scenario) => scenario.refundNotice(pick, to)),
  );
const recover = then.map((given) =>
  command(`recover ${given}`, (scenario) => scenario.recover(given)),
);
const expire = then.map((given) =>
  command(`expire ${given}`, (scenario) => scenario.expire(given)),
);
const warn = payment.map((index) => command(`warn ${index}`, (scenario) => scenario.warn(index)));
const late = fc.constant(0).map(() =>
  command('late', (scenario) => {
    if (scenario.provider.runLate() > 0) scenario.count('a late effect');
  }),
);

const acts = ['open', 'inquire', 'withdraw', 'evidence', 'win', 'lose', 'reinstate'] as const;
const dispute = fc
  .record({
    payment,
    act: fc.constantFrom<DisputeAct>(...acts),
    amount: fc.integer({ min: 1, max: 6 }),
  })
  .map(({ payment, act, amount }) =>
    command(`dispute ${payment} ${act} ${amount}`, (scenario) => {
      const id = scenario.pick(payment);
      // When the step is not possible, a dispute is opened; when that is not possible either, the
      // money is reinstated.
      const done =
        id &&
        [act, 'open' as const, 'reinstate' as const].find((each) =>
          scenario.disputes.act(id, each, amount),
        );
      if (!done) return;
      scenario.count(`dispute: ${done}`);
      scenario.disputes.read(id, 0);
    }),
  );
const staleDispute = fc.record({ payment, age: fc.nat(3) }).map(({ payment, age }) =>
  command(`staleDispute ${payment} ${age}`, (scenario) => {
    const id = scenario.pick(payment);
    const outcome = id && scenario.disputes.read(id, age);
    if (outcome) scenario.count(`a dispute reading: ${outcome}`);
  }),
);

const weighted = [
  ...repeatValue(3, pay),
  ...repeatValue(6, hold),
  ...repeatValue(4, refund),
  ...repeatValue(4, answer),
  ...repeatValue(3, clock),
  ...repeatValue(2, recover),
  ...repeatValue(2, byHand),
  ...repeatValue(3, notice),
  takeBack,
  ...repeatValue(2, refundNotice),
  ...repeatValue(2, dispute),
  expire,
  warn,
  late,
  staleDispute,
];

/** Returns sequences of at most `most` commands. */
export const pureCommands = (most: number, replayPath?: string) =>
  fc.commands<Scenario, Scenario>(weighted, {
    maxCommands: most,
    size: 'max',
    ...(replayPath === undefined ? {} : { replayPath }),
  });
