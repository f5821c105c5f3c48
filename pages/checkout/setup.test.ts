// A setup session on the hosted page: a card is kept, nothing is charged, and no amount is named.
// Spec: setup sessions. Contract §4.

import { describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';
import {
  type Answer,
  attempt,
  nonce,
  refusal,
  savedAnswer,
  savedCard,
  sessionId,
} from '../test/stub-answers.ts';

const test = pageTest();

const aSetup = () => {
  test.wire.session = {
    checkoutMode: 'setup',
    buyerVerified: true,
    products: [],
    totals: null,
    currency: null,
  };
};
const listCalls = () => test.wire.calls(/\/card-setup$/);
const answerSetup = (): Answer => {
  test.wire.standings = [{ status: 'requires_action', attempt: attempt('REQUIRES_ACTION') }];
  const challenge = { kind: 'redirect', url: `${test.wire.bankOrigin}/question` };
  const body = { type: '3ds_required', sessionId, paymentMethodId: null, challenge };
  return { status: 200, body };
};
const fill = async () => {
  await test.number().fill('4242424242424242');
  await test.payButton().click();
};

describe('a setup session', () => {
  it('saves the card once, charges nothing, and leads back to the shop', async () => {
    aSetup();
    const page = await test.visit();
    await page.getByRole('heading', { name: 'Save a card', level: 2 }).waitFor();
    await page.getByText('Nothing is charged now.').waitFor();
    await test.number().fill('4242424242424242');
    expect(await test.payButton().textContent()).toBe('Save card');
    await test.payButton().dblclick();
    expect(await test.news().textContent()).toBe('Card saved');
    expect(listCalls()).toHaveLength(1);
    expect(listCalls()[0]?.body).toEqual({ token: 'svct_1' });
    expect(listCalls()[0]?.headers['x-checkout-session-token']).toBe(nonce);
    expect(test.processCalls()).toEqual([]);
    await page.waitForURL(`${test.wire.formOrigin}/thanks?order=7&session_id=${sessionId}`);
  });

  it('names the card that was saved, and stays without it where the list cannot be read', async () => {
    aSetup();
    test.wire.session = { ...test.wire.session, successUrl: null };
    test.wire.cards = () => ({
      status: 200,
      body: { data: [savedCard('1881'), savedCard('4242', { brand: 'mastercard' })] },
    });
    const page = await test.visit();
    await fill();
    await page.locator('.outcome').getByText('Mastercard ending in 4242').waitFor();
    test.wire.cards = () => refusal('service_unavailable');
    await page.reload();
    await fill();
    expect(await test.news().textContent()).toBe('Card saved');
    expect(await page.locator('.outcome').textContent()).not.toContain('ending in');
  });

  it('names no amount and no order anywhere, and reads no saved cards', async () => {
    aSetup();
    const page = await test.visit();
    await test.number().waitFor();
    const text = ((await page.locator('body').textContent()) ?? '').replace(/4242/g, '');
    expect(text).not.toMatch(/[€$]|EUR|\bpay\b|order:/i);
    expect(await page.locator('.summary').count()).toBe(0);
    expect(test.wire.calls(/payment-methods/)).toEqual([]);
    await fill();
    await test.news().waitFor();
    expect(await page.locator('.outcome').textContent()).not.toMatch(/[€$]|EUR/);
  });

  it('declined: says why, and another card is saved', async () => {
    aSetup();
    test.wire.setups = [
      refusal('card_declined', { declineCode: 'lost_card', advice: 'do_not_try_again' }),
      savedAnswer,
    ];
    await test.visit();
    await fill();
    await test.alert().getByText('The bank does not accept this card.').waitFor();
    await test.number().fill('5555555555554444');
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Card saved');
    expect(listCalls().map(({ body }) => body?.token)).toEqual(['svct_1', 'svct_2']);
  });

  it('a token that is no good any more: the card is to be entered again', async () => {
    aSetup();
    test.wire.setups = [refusal('invalid_request', { param: 'token' }), savedAnswer];
    await test.visit();
    await fill();
    await test.alert().getByText('Please enter your card again.').waitFor();
  });

  it('3DS: asked in the dialog, and the same call again with what the bank gave back', async () => {
    aSetup();
    test.wire.setups = [answerSetup, savedAnswer];
    const page = await test.visit();
    await fill();
    await page.frameLocator('dialog iframe').getByText('Approve').click();
    await expect.poll(() => test.news().textContent()).toBe('Card saved');
    expect(listCalls()[1]?.body).toEqual({
      token: 'svct_1',
      chv: expect.stringContaining('redirect_status=succeeded'),
    });
  });

  it('3DS given up: the attempt ends, and the form takes another card', async () => {
    aSetup();
    test.wire.setups = [answerSetup, savedAnswer];
    const page = await test.visit();
    await fill();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Then the card is not saved').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await test.alert().getByText('The card was not saved').waitFor();
    const [call] = test.wire.calls(/\/decline$/);
    expect(call?.body).toEqual({ reason: 'buyer_canceled', attemptId: 'a1' });
    await fill();
    expect(await test.news().textContent()).toBe('Card saved');
  });

  it('a success that names no verified card is none: the status decides', async () => {
    aSetup();
    const body = { type: 'success', sessionId, paymentMethodId: null };
    test.wire.setups = [
      () => {
        test.wire.standings = [{ status: 'processing' }];
        return { status: 200, body };
      },
    ];
    const page = await test.visit();
    await fill();
    await page.getByRole('heading', { name: 'We are checking your card' }).waitFor();
    expect(await page.getByText('Card saved').count()).toBe(0);
    test.wire.standings = [{ status: 'completed' }];
    await expect.poll(() => test.news().textContent(), { timeout: 8_000 }).toBe('Card saved');
  });

  it('an answer that is lost is looked up, never called a failure', async () => {
    aSetup();
    test.wire.setups = [
      () => {
        test.wire.standings = [{ status: 'completed' }];
        return 'break off';
      },
    ];
    await test.visit();
    await fill();
    await expect.poll(() => test.news().textContent()).toBe('Card saved');
  });

  it('back from the bank in the whole window: the status tells', async () => {
    aSetup();
    const page = await test.visit();
    await test.number().waitFor();
    test.wire.standings = [{ status: 'completed' }];
    await page.goto(`${test.wire.pageOrigin}/c/${sessionId}?setup_intent=seti_1`);
    expect(await test.news().textContent()).toBe('Card saved');
    expect(page.url()).not.toContain('setup_intent');
  });

  it.each([
    ['expired', 'This link has expired', 'No card was saved.'],
    ['canceled', 'This was cancelled', 'No card was saved.'],
  ] as const)('%s: says that no card was saved', async (status, title, text) => {
    aSetup();
    test.wire.session = { ...test.wire.session, vault: null };
    test.wire.standings = [{ status }];
    const page = await test.visit();
    expect(await test.news().textContent()).toBe(title);
    await page.getByText(text).waitFor();
  });

  it('expired while the form was open', async () => {
    aSetup();
    test.wire.setups = [refusal('checkout_session_expired')];
    await test.visit();
    await fill();
    expect(await test.news().textContent()).toBe('This link has expired');
  });

  it('the way back to the shop is there until the card is saved', async () => {
    aSetup();
    const page = await test.visit();
    await test.number().waitFor();
    expect(await page.locator('.back').getAttribute('href')).toContain('/cart');
    await fill();
    await test.news().waitFor();
    expect(await page.locator('.back').count()).toBe(0);
  });
});
