// Wallets that buyers have saved with the world's client, and the wallet's records of them.

import type { PaymentMethod } from '../../src/domain/payments/payment-method.ts';
import { methodsOf, vouchedSession } from '../customers/saved-cards.ts';
import type { Checkout, World } from '../world.ts';
import type { WalletAnswer, WalletShop } from './wallet-shop.ts';

export type KeptWallet = {
  readonly session: Checkout;
  readonly method: PaymentMethod;
  readonly answer: WalletAnswer;
  readonly orderId: string;
};

/**
 * Makes a payment that saves its wallet, approved and captured; `behaviour` is the wallet's, now
 * and later. `method` is the buyer's newest method, active or not.
 */
export async function payAndKeep(
  world: World,
  shop: WalletShop,
  given: { userId?: string; behaviour?: string; products?: { code: string; quantity: number }[] },
): Promise<KeptWallet> {
  const { behaviour, ...buyer } = given;
  const session = await vouchedSession(world, buyer);
  const asked = await shop.pay(session, { saveForLater: true });
  const orderId = await shop.orderOf(asked);
  await shop.approve(orderId, behaviour);
  const answer = await shop.pay(session);
  const method = (await methodsOf(world, session.userId)).at(-1);
  if (!method) throw new Error('nothing is kept');
  return { session, method, answer, orderId };
}

/** Creates an active wallet of the buyer. */
export async function aKeptWallet(
  world: World,
  shop: WalletShop,
  given: { userId?: string; behaviour?: string } = {},
): Promise<KeptWallet> {
  const kept = await payAndKeep(world, shop, given);
  if (kept.method.status !== 'active') throw new Error(`the wallet is ${kept.method.status}`);
  return kept;
}
