// The commands of the API layer: those of the pure layer over HTTP, and those that only callers
// have: two requests at once, and invalid requests.

import fc from 'fast-check';
import { badRequest, badRequests } from './api-bad-requests.ts';
import { race, sendTwins } from './api-crowds.ts';
import type { ApiWeather } from './api-faults.ts';
import { closeDispute, failRefund, openDispute, reverseCapture } from './api-money-back.ts';
import type { ApiScenario } from './api-scenario.ts';

export type ApiCommand = fc.AsyncCommand<ApiScenario, ApiScenario, true>;

const command = (text: string, run: (scenario: ApiScenario) => Promise<unknown>): ApiCommand => ({
  check: () => Promise.resolve(true),
  run: async (scenario) => {
    scenario.count(text.split(' ')[0] ?? text);
    await run(scenario);
    await scenario.compare();
  },
  toString: () => text,
});

const repeatValue = <T>(times: number, value: T): T[] => Array.from({ length: times }, () => value);

const weather = fc.constantFrom<ApiWeather>(
  ...repeatValue(5, 'through' as const),
  'seen',
  'unseen',
  'lost',
  'refused',
);
const payment = fc.constantFrom(0, 0, 0, 0, 1, 1, 2);
const paymentOrNone = fc.constantFrom(...repeatValue(12, 0), ...repeatValue(6, 1), 2, -1);
const key = fc.constantFrom('a', 'b', 'c');
const kind = fc.constantFrom('capture', 'cancel' as const);

const pay = fc
  .record({
    captureMethod: fc.constantFrom('manual', 'automatic' as const),
    how: fc.constantFrom<ApiWeather | 'declined' | 'action'>(
      ...repeatValue(3, 'through' as const),
      ...(['seen', 'unseen', 'lost', 'declined', 'action'] as const),
    ),
  })
  .map(({ captureMethod, how }) =>
    command(`pay ${captureMethod} ${how}`, async (scenario) => {
      if (scenario.model.purchases.size < 3) await scenario.pay(captureMethod, how);
    }),
  );
const payAgain = payment.map((index) =>
  command(`payAgain ${index}`, (scenario) => scenario.payAgain(index)),
);

const hold = fc
  .record({
    kind,
    payment: paymentOrNone,
    key,
    body: fc.constantFrom('{}', '{}', '{}', '{"note":1}'),
    weather,
    hiccup: fc.boolean(),
  })
  .map(({ weather, hiccup, payment, ...rest }) =>
    command(`${rest.kind} ${payment} ${JSON.stringify(rest)} ${weather} ${hiccup}`, (scenario) => {
      const purchaseId = scenario.pick(payment) ?? 'nowhere';
      const call = scenario.newCall({ ...rest, purchaseId, amount: null });
      return scenario.merchant({ call, weather, hiccup });
    }),
  );

const refund = fc
  .record({
    payment: paymentOrNone,
    key,
    amount: fc.constantFrom(null, 1, 2, 3, 6, 7),
    weather,
    hiccup: fc.boolean(),
  })
  .map(({ payment, key, amount, weather, hiccup }) =>
    command(`refund ${payment} ${key} ${amount} ${weather} ${hiccup}`, (scenario) => {
      const purchaseId = scenario.pick(payment) ?? 'nowhere';
      const body = amount === null ? '{}' : JSON.stringify({ amount });
      const call = scenario.newCall({ kind: 'refund', purchaseId, key, body, amount });
      return scenario.merchant({ call, weather, hiccup });
    }),
  );

const clock = fc
  .constantFrom('hour', 'day', 'end', 'deadline' as const)
  .map((to) => command(`clock ${to}`, (scenario) => scenario.moveClock(to)));
const byHand = fc
  .record({ payment, act: fc.constantFrom('capture', 'cancel', 'expire' as const) })
  .map(({ payment, act }) =>
    command(`byHand ${payment} ${act}`, (scenario) => scenario.byHand(payment, act)),
  );
const action = fc
  .constantFrom('approve', 'approve', 'fail' as const)
  .map((outcome) => command(`action ${outcome}`, (scenario) => scenario.finishAction(outcome)));
const notice = fc
  .record({ payment, picks: fc.array(fc.nat(8), { minLength: 1, maxLength: 3 }) })
  .map(({ payment, picks }) =>
    command(`notice ${payment} ${picks}`, (scenario) => scenario.notice(payment, picks)),
  );
const recover = fc
  .constantFrom('through', 'through', 'down' as const)
  .map((how) => command(`recover ${how}`, (scenario) => scenario.recover(how)));
const expire = fc.constant(0).map(() => command('expire', (scenario) => scenario.expire()));
const late = fc.constant(0).map(() => command('late', failRefund));
const dispute = fc
  .record({
    payment,
    status: fc.constantFrom('needs_response', 'needs_response', 'warning_needs_response' as const),
  })
  .map(({ payment, status }) =>
    command(`dispute ${payment} ${status}`, (scenario) => openDispute(scenario, payment, status)),
  );
const close = fc
  .constantFrom('won', 'lost' as const)
  .map((outcome) => command(`close ${outcome}`, (scenario) => closeDispute(scenario, outcome)));
const taken = payment.map((index) =>
  command(`takeBack ${index}`, (scenario) => reverseCapture(scenario, index)),
);
const both = fc
  .record({ kind, payment })
  .map(({ kind, payment }) =>
    command(`twins ${kind} ${payment}`, (scenario) => sendTwins(scenario, kind, payment)),
  );
const against = payment.map((index) =>
  command(`race ${index}`, (scenario) => race(scenario, index)),
);
const bad = fc
  .record({ name: fc.constantFrom(...badRequests), payment })
  .map(({ name, payment }) =>
    command(`bad ${name} ${payment}`, (scenario) => badRequest(scenario, name, payment)),
  );

const weighted = [
  ...repeatValue(2, pay),
  payAgain,
  ...repeatValue(6, hold),
  ...repeatValue(4, refund),
  ...repeatValue(2, recover),
  ...repeatValue(2, notice),
  ...repeatValue(2, bad),
  ...[clock, byHand, action, expire, late, taken, dispute, close, both, against],
];

export const apiCommands = (most: number, replayPath?: string) =>
  fc.commands<ApiScenario, ApiScenario, true>(weighted, {
    maxCommands: most,
    size: 'max',
    ...(replayPath === undefined ? {} : { replayPath }),
  });
