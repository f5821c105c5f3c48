// Events of saved cards, and of the subscriptions that they pay.

import { CommandError } from '../line/command.ts';
import type { Subscription, Trigger, TriggerScene } from './trigger-scene.ts';
import { type Buyer, cards, type Payment } from './trigger-shop.ts';

const asks = ['customer', 'setup', 'card'];
const buys = [...asks, 'session'];

type SavedCardPurchase = {
  readonly buyer: Buyer;
  readonly card: string;
  readonly payment: Payment;
  readonly subscription: Subscription;
};

/** Starts a subscription: a new customer's first period, paid with a card that was saved before. */
async function subscribe({ shop }: TriggerScene): Promise<SavedCardPurchase> {
  const code = await shop.productOf('subscription');
  const buyer = await shop.customer();
  const card = await shop.saveCard(buyer);
  const session = await shop.open({ captureMethod: 'automatic', code, buyer });
  const payment = await shop.pay(session, { saved: card });
  const { data } = await shop.api<{ data: Subscription[] }>(
    `GET /v1/subscriptions?userId[eq]=${buyer.userId}`,
  );
  const subscription = data.find(({ sessionId }) => sessionId === session.id);
  if (!subscription) throw new CommandError(`session ${session.id} started no subscription`);
  return { buyer, card, payment, subscription };
}

/**
 * Returns the buyer and the card of an existing subscription. Past due is reported once, so the
 * subscription must be active.
 */
function buyerOfSubscription(subscription: Subscription) {
  const { id, status, userId, paymentMethodId: card } = subscription;
  if (status !== 'active') throw new CommandError(`subscription ${id} is ${status}, not active`);
  return { buyer: { userId, email: '' }, card, subscription };
}

/** Lets the next period begin. */
async function renew(
  { shop }: TriggerScene,
  { nextRenewalAt }: Pick<Subscription, 'nextRenewalAt'>,
): Promise<void> {
  if (nextRenewalAt === null) throw new CommandError('the subscription is not renewed any more');
  await shop.passTo(new Date(Date.parse(nextRenewalAt) + 1000));
}

async function cancel(scene: TriggerScene, body: { readonly at?: 'period_end' }): Promise<string> {
  const { id } = scene.subscription ?? (await subscribe(scene)).subscription;
  await scene.shop.api(`POST /v1/subscriptions/${id}/cancel`, { body });
  return id;
}

const remove = ({ shop }: TriggerScene, card: string) =>
  shop.api(`DELETE /v1/payment-methods/${card}`);

export const savedCardTriggers = {
  'payment_method.activated': {
    asks,
    on: null,
    run: async ({ shop }) => shop.saveCard(await shop.customer()),
  },
  'payment_method.updated': {
    asks: [...buys, 'renewal'],
    on: null,
    async run(scene) {
      const { card, payment } = await subscribe(scene);
      const { charge } = await scene.shop.atProvider(payment);
      const body = scene.shop.bodies.of('renewal', {});
      await scene.shop.control(`POST /payment-methods/${charge}/renew`, body);
      return card;
    },
  },
  'payment_method.deleted': {
    asks,
    on: null,
    async run(scene) {
      const card = await scene.shop.saveCard(await scene.shop.customer());
      await remove(scene, card);
      return card;
    },
  },
  'payment_method.replaced': {
    asks: buys,
    on: null,
    async run(scene) {
      const { buyer, card } = await subscribe(scene);
      await scene.shop.saveCard(buyer, cards.mastercard);
      await remove(scene, card);
      return card;
    },
  },
  'customer.updated': {
    asks: ['customer'],
    on: null,
    async run({ shop }) {
      const { userId } = await shop.customer();
      await shop.api(`PATCH /v1/customers/${userId}`, { body: { name: 'Ada King' } });
      return userId;
    },
  },
  'customer.forgotten': {
    asks: ['customer'],
    on: null,
    async run({ shop }) {
      const { userId } = await shop.customer();
      await shop.api(`POST /v1/customers/${userId}/forget`, { body: {} });
      return userId;
    },
  },
  // A cart with only a subscription.
  'payment.succeeded': {
    asks: buys,
    on: null,
    run: async (scene) => (await subscribe(scene)).payment.id,
  },
  'subscription.created': {
    asks: buys,
    on: null,
    run: async (scene) => (await subscribe(scene)).subscription.id,
  },
  'subscription.renewed': {
    asks: buys,
    on: null,
    onSubscription: true,
    async run(scene) {
      const subscription = scene.subscription ?? (await subscribe(scene)).subscription;
      await renew(scene, subscription);
      return subscription.id;
    },
  },
  'subscription.past_due': {
    asks: buys,
    on: null,
    onSubscription: true,
    async run(scene) {
      const { buyer, card, subscription } = scene.subscription
        ? buyerOfSubscription(scene.subscription)
        : await subscribe(scene);
      // This card can be saved and pays from now on, and no charge of it is ever approved.
      await scene.shop.saveCard(buyer, cards.declinedOnceSaved);
      if (card !== null) await remove(scene, card);
      await renew(scene, subscription);
      return subscription.id;
    },
  },
  'subscription.cancellation_scheduled': {
    asks: buys,
    on: null,
    onSubscription: true,
    run: (scene) => cancel(scene, { at: 'period_end' }),
  },
  'subscription.resumed': {
    asks: buys,
    on: null,
    onSubscription: true,
    async run(scene) {
      const id = await cancel(scene, { at: 'period_end' });
      await scene.shop.api(`POST /v1/subscriptions/${id}/resume`, { body: {} });
      return id;
    },
  },
  'subscription.canceled': {
    asks: buys,
    on: null,
    onSubscription: true,
    run: (scene) => cancel(scene, {}),
  },
} satisfies Record<string, Trigger>;
