// Wallets that are kept for later, over HTTP: what is shown of one, and that only its payer can move
// what it pays for. Spec 2.4, 7.2.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWalletShop, type WalletShop } from '../../service/test/wallet-shop.ts';
import { refusal } from './buyer.ts';
import { bodyOf, type CardShop, club, type Fields, openCardShop } from './cardholder.ts';

let shop: CardShop;
let wallet: WalletShop;
beforeAll(async () => {
  shop = await openCardShop();
  wallet = await openWalletShop(shop);
});
afterAll(() => shop?.close());

const byWallet = { provider: 'wallet', type: 'wallet' };

/** Buys with a wallet that is saved: redirected, approved there, and paid on return. */
async function buy(userId: string, more: Fields = {}): Promise<Fields> {
  const session = await shop.vouched(userId, more);
  const asked = bodyOf(await shop.payWith(session, { ...byWallet, saveForLater: true }));
  expect(asked).toMatchObject({ type: 'wallet_redirect_required' });
  await wallet.approve(await wallet.orderOf({ paymentId: String(asked.paymentId) }));
  return bodyOf(await shop.payWith(session, byWallet));
}

const walletsOf = async (userId: string): Promise<Fields[]> =>
  (await shop.listed(userId)).filter(({ type }) => type === 'wallet');

describe('Saved payment method', () => {
  it('Spec 2.4 payerEmail, type and gateway data: of a wallet, and nothing that a card would have', async () => {
    const userId = await shop.aBuyer();
    expect(await buy(userId)).toMatchObject({ type: 'success', status: 'succeeded' });
    const [shown] = await shop.listed(userId);
    expect(shown).toEqual({
      id: expect.any(String),
      type: 'wallet',
      brand: null,
      lastFour: null,
      expiryMonth: null,
      expiryYear: null,
      payerEmail: expect.stringMatching(/^[^@\s]+@[^@\s]+$/),
      status: 'active',
      createdAt: expect.any(String),
      gateway: { id: wallet.gatewayId, provider: 'wallet' },
    });
    const { providerPaymentMethodId, providerCustomerId } = await shop.method(String(shown?.id));
    const [activated] = await shop.told(String(shown?.id));
    for (const secret of [providerPaymentMethodId, providerCustomerId]) {
      expect(secret).toEqual(expect.any(String));
      expect(JSON.stringify([shown, activated])).not.toContain(secret);
    }
  });
});

describe('Payment-method deletion', () => {
  it('Spec 7.2.6: 409 payment_method_reassignment_requires_payer_action where a wallet pays and another one could; nothing has moved', async () => {
    const userId = await shop.aBuyer();
    await buy(userId, { products: [club] });
    const [paying] = await walletsOf(userId);
    const [subscription = {}] = await shop.subscriptionsOf(userId);
    expect(subscription).toMatchObject({ provider: 'wallet', paymentMethodId: paying?.id });
    const id = String(paying?.id);
    // A card cannot replace a wallet.
    await shop.aCard(userId);
    expect(await shop.remove(id)).toMatchObject(refusal(409, 'payment_method_in_use'));
    await buy(userId);
    expect(await walletsOf(userId)).toHaveLength(2);
    const { result, calls } = await shop.during(() => shop.remove(id));
    expect(result).toMatchObject(
      refusal(409, 'payment_method_reassignment_requires_payer_action', {
        type: 'conflict_error',
        retryable: false,
      }),
    );
    expect(calls).toEqual([]);
    expect(await shop.subscription(subscription.id)).toEqual(subscription);
    expect(await walletsOf(userId)).toContainEqual(paying);
    const cancel = `POST /v1/subscriptions/${subscription.id}/cancel` as const;
    expect(await shop.ask(cancel)).toMatchObject({ status: 200 });
    expect(await shop.remove(id)).toMatchObject({ status: 204, text: '' });
    expect(await walletsOf(userId)).toHaveLength(1);
  });
});
