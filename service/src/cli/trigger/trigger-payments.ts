// Events of payments, refunds and checkout sessions.

import { CommandError } from '../line/command.ts';
import { ApiRefusal } from '../merchant/api.ts';
import { checkout, type Trigger, type TriggerScene } from './trigger-scene.ts';
import { cards, type Payment } from './trigger-shop.ts';

const day = 86_400_000;
const minute = 60_000;

const holdOf = async ({ payment, shop }: TriggerScene): Promise<Payment> => payment ?? shop.hold();
const paymentOrPurchase = async ({ payment, shop }: TriggerScene): Promise<Payment> =>
  payment ?? shop.purchase();

function expiryOf({ id, authorizationExpiresAt }: Payment): Date {
  if (authorizationExpiresAt !== null) return new Date(authorizationExpiresAt);
  throw new CommandError(`payment ${id} is no hold`);
}

/** Runs work that must be refused with the code. */
async function expectRefusal(code: string, work: Promise<unknown>): Promise<void> {
  const said = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (said instanceof ApiRefusal && said.code === code) return;
  throw said ?? new CommandError(`it should have been refused with ${code}, and was not`);
}

export const paymentTriggers = {
  'payment.authorized': {
    asks: checkout,
    on: null,
    run: async ({ shop }) => (await shop.hold()).id,
  },
  'item.purchased': {
    asks: checkout,
    on: 'a hold',
    async run({ shop, payment }) {
      if (payment === null) return (await shop.purchase()).id;
      await shop.move('capture', payment);
      return payment.id;
    },
  },
  'payment.failed': {
    asks: checkout,
    on: null,
    async run({ shop }) {
      const session = await shop.open({ captureMethod: 'automatic' });
      await expectRefusal('card_declined', shop.pay(session, { number: cards.declined }));
      return session.id;
    },
  },
  'payment.capture_failed': {
    asks: checkout,
    on: 'a hold',
    async run(scene) {
      const payment = await holdOf(scene);
      const { intent } = await scene.shop.atProvider(payment);
      // The card's bank declines the capture.
      await scene.shop.control('POST /faults', {
        match: { method: 'POST', path: '/v1/payment_intents/*/capture', object: intent },
        action: 'decline',
      });
      await expectRefusal('gateway_capture_failed', scene.shop.move('capture', payment));
      return payment.id;
    },
  },
  'payment.authorization_voided': {
    asks: checkout,
    on: 'a hold',
    async run(scene) {
      const payment = await holdOf(scene);
      await scene.shop.move('cancel', payment);
      return payment.id;
    },
  },
  'payment.authorization_expiring': {
    asks: checkout,
    on: 'a hold',
    async run(scene) {
      const payment = await holdOf(scene);
      const { shop } = scene;
      const [now, expiry] = [await shop.clock(), expiryOf(payment)];
      const leftMs = expiry.getTime() - now.getTime();
      // A day before the end, or half the remaining time when that is less. Contract §2, Hold.
      const warnMs = Math.min(day, leftMs / 2);
      await shop.passTo(new Date(expiry.getTime() - warnMs + minute));
      return payment.id;
    },
  },
  'payment.authorization_expired': {
    asks: checkout,
    on: 'a hold',
    async run(scene) {
      const payment = await holdOf(scene);
      await scene.shop.passTo(new Date(expiryOf(payment).getTime() + minute));
      return payment.id;
    },
  },
  'refund.created': {
    asks: [...checkout, 'refund'],
    on: 'a paid payment',
    run: async (scene) => idOf(await scene.shop.move('refunds', await paymentOrPurchase(scene))),
  },
  'refund.succeeded': {
    asks: [...checkout, 'refund'],
    on: 'a paid payment',
    run: async (scene) => idOf(await scene.shop.move('refunds', await paymentOrPurchase(scene))),
  },
  'refund.failed': {
    asks: [...checkout, 'refund'],
    on: 'a paid payment',
    async run(scene) {
      const { shop } = scene;
      const payment = await paymentOrPurchase(scene);
      const id = idOf(await shop.move('refunds', payment));
      await scene.seen('refund.created', id);
      const { refund } = await shop.atProvider(payment);
      await shop.control(`POST /refunds/${refund}/fail`);
      return id;
    },
  },
  'checkout.session.completed': {
    asks: checkout,
    on: null,
    async run({ shop }) {
      const session = await shop.open({ captureMethod: 'automatic' });
      await shop.pay(session, { number: cards.approved });
      return session.id;
    },
  },
  'checkout.session.expired': {
    asks: ['session'],
    on: null,
    async run({ shop }) {
      const session = await shop.open({ captureMethod: 'automatic' });
      await shop.passTo(new Date(Date.parse(session.expiresAt) + minute));
      return session.id;
    },
  },
} satisfies Record<string, Trigger>;

const idOf = ({ id }: { readonly id?: unknown }): string => String(id);
