// Events of suspected fraud, as the card's bank and the provider's rules cause them.

import { checkout, type Trigger, type TriggerScene } from './trigger-scene.ts';

/** Has the charge warned of or reviewed, and returns the provider's id of that. */
async function raiseSignal(
  { shop, payment: given }: TriggerScene,
  kind: 'warning' | 'review',
): Promise<string> {
  const { charge } = await shop.atProvider(given ?? (await shop.purchase()));
  const body = shop.bodies.of(kind, { charge });
  const path = kind === 'warning' ? 'POST /fraud-warnings' : 'POST /reviews';
  return (await shop.control<{ id: string }>(path, body)).id;
}

export const fraudSignalTriggers = {
  'payment.fraud_warning': {
    asks: [...checkout, 'warning'],
    on: 'a paid payment',
    run: (scene) => raiseSignal(scene, 'warning'),
  },
  'payment.review_opened': {
    asks: [...checkout, 'review'],
    on: 'a paid payment',
    run: (scene) => raiseSignal(scene, 'review'),
  },
  'payment.review_closed': {
    asks: [...checkout, 'review', 'end'],
    on: 'a paid payment',
    async run(scene) {
      const id = await raiseSignal(scene, 'review');
      await scene.shop.control(`POST /reviews/${id}/close`, scene.shop.bodies.of('end', {}));
      return id;
    },
  },
} satisfies Record<string, Trigger>;
