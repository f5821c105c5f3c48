// The form of CardPayment: which session it shows, what one submit sends, and what the page is told. Without a
// browser; as a React component: card-payment.test.ts.

import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { attempt, nonce, refusal, type StubbedResponse, sessionId } from '../../test-service.ts';
import { aPlace, StubPage, submitTest } from '../../test-submit.ts';
import { CardPayment } from '../react.ts';
import type { CardPaymentOptions } from './card-payment-types.ts';
import { PaymentForm } from './payment-form.ts';

const test = submitTest();
const accountData = { userId: '01990000-0000-7000-8000-0000000000aa', email: 'ada@example.com' };
const paymentId = '01990000-0000-7000-8000-0000000000ff';
const totals = { subtotal: 19.9, discount: 0, total: 19.9, currency: 'EUR' };
const paidBody = {
  type: 'success',
  status: 'succeeded',
  sessionId,
  paymentId,
  authorizationExpiresAt: null,
  redirectUrl: '/thanks',
};
const paid: StubbedResponse = { status: 200, body: paidBody };
const success = { type: 'success', body: paidBody };
const payments = () => test.now.service.payments();

async function mount(options: Partial<CardPaymentOptions> = {}, session: object = {}) {
  const { service } = test.now;
  service.session = { checkoutMode: 'payment', accountData, totals, ...session };
  service.setups = [paid];
  const page = new StubPage();
  const identity = { baseUrl: service.api, sessionId, nonce };
  const form = new PaymentForm({ ...identity, ...page.callbacks, ...options }, page.mountFrame);
  form.mount(aPlace());
  await test.now.settle();
  page.frame?.settings?.onReady?.({});
  await test.now.settle();
  return { page, form };
}

describe('the form', () => {
  it.each([
    ['setup', { checkoutMode: 'setup' }, ['error', 'checkout_session_is_setup']],
    ['expired', { status: 'expired' }, ['loaderror', 'session_expired']],
  ])('a session that is %s shows none, and says why', async (_, session, told) => {
    const { page } = await mount({}, session);
    expect(page.heard).toEqual([told]);
    expect(page.frames).toEqual([]);
  });

  it('a session that was paid before tells its success, and pays nothing', async () => {
    const past = { status: 'completed', paymentId, authorizationExpiresAt: null };
    const { page, form } = await mount({}, { ...past, successUrl: '/thanks' });
    expect(page.heard).toEqual([['success', paidBody]]);
    expect(await form.submit()).toEqual(success);
    expect(payments()).toEqual([]);
  });

  it('destroyed: a payment that runs is waited for no more, and nobody is told', async () => {
    const { page, form } = await mount();
    test.now.service.setups = [() => new Promise<StubbedResponse>(() => {})];
    const end = form.submit();
    await test.now.settle();
    expect(payments()).toHaveLength(1);
    form.destroy();
    expect(await end).toEqual({ type: 'cancel', reason: 'aborted' });
    expect(page.frame).toBeUndefined();
    expect(page.heard.map(([name]) => name)).toEqual(['ready']);
  });
});

it('on a server it is its container, and nothing is asked of a document', () => {
  const identity = { baseUrl: 'https://pay.example', sessionId, nonce };
  const html = renderToString(createElement(CardPayment, { ...identity, className: 'host' }));
  expect(html).toBe('<div class="host"></div>');
});

describe('paying', () => {
  it('by the card of the form: once, however often it is submitted', async () => {
    const { page, form } = await mount();
    expect(await Promise.all([form.submit(), form.submit()])).toEqual([success, success]);
    expect(await form.submit()).toEqual(success);
    const tokenizedData = { provider: 'cardprovider', type: 'card', token: 'svct_1' };
    expect(payments()).toEqual([{ sessionId, accountData, tokenizedData }]);
    expect(page.heardOf('success')).toEqual([['success', paidBody]]);
    expect(page.frame?.typed).toBe('');
  });

  it.each(['42', 'ada@example.com', 'Zoë 100 %'])(
    'a buyer whom the shop calls %s is named by that id',
    async (externalId) => {
      const { form } = await mount({}, { accountData: { ...accountData, externalId } });
      expect(await form.submit()).toEqual(success);
      expect(test.now.service.calls(/process$/)).toMatchObject([{ userId: externalId }]);
    },
  );

  it.each(['42', 'ada@example.com'])(
    'so is one who pays with a saved card: %s',
    async (externalId) => {
      const saved = { paymentMethodId: '01990000-0000-7000-8000-0000000000cc' };
      const { form } = await mount(saved, { accountData: { ...accountData, externalId } });
      expect(await form.submit()).toEqual(success);
      expect(test.now.service.calls(/process$/)).toMatchObject([{ userId: externalId }]);
    },
  );

  it('an incomplete form: the field’s code, and nothing is sent', async () => {
    const { page, form } = await mount();
    page.frame?.clear();
    await form.submit();
    expect(page.heardOf('error')).toEqual([['error', 'number_incomplete']]);
    expect(payments()).toEqual([]);
  });

  it('declined: what the bank said and what to do; the next submit takes a new token', async () => {
    const { form } = await mount();
    const declined = { declineCode: 'insufficient_funds', advice: 'try_again_later' };
    test.now.service.setups = [refusal('card_declined', declined), paid];
    expect(await form.submit()).toEqual({
      type: 'decline',
      code: 'insufficient_funds',
      message: expect.stringMatching(/./),
      advice: 'try_again_later',
      retryable: true,
    });
    expect(await form.submit()).toEqual(success);
    const tokens = payments().map((body) => Reflect.get(body, 'tokenizedData').token);
    expect(tokens).toEqual(['svct_1', 'svct_2']);
  });

  it('not known yet is processing, never an error', async () => {
    const { page, form } = await mount();
    test.now.service.setups = [{ status: 202, body: { ...paidBody, type: 'processing' } }];
    test.now.service.standings = [{ status: 'processing', attempt: attempt('UNKNOWN') }];
    const end = form.submit();
    await test.now.pass(400);
    expect(await end).toEqual({ type: 'processing' });
    expect(page.heard.map(([name]) => name)).toEqual(['ready', 'processing']);
  });

  it('a saved card pays without the form; taken back, the form pays again', async () => {
    const id = '01990000-0000-7000-8000-000000000bee';
    const { form } = await mount({ paymentMethodId: id, expectedTotal: 19.9 });
    test.now.service.setups = [refusal('card_declined', { declineCode: 'lost_card' }), paid];
    await form.submit();
    form.update({ paymentMethodId: null, saveForLater: true });
    expect(await form.submit()).toEqual(success);
    const card = { provider: 'cardprovider', type: 'card' };
    const rest = { sessionId, accountData, expectedTotal: 19.9 };
    expect(payments()).toEqual([
      { ...rest, tokenizedData: { ...card, paymentMethodId: id } },
      { ...rest, tokenizedData: { ...card, token: 'svct_1', saveForLater: true } },
    ]);
  });

  it('an order that costs nothing needs no form, and is completed without a card', async () => {
    const free = { ...totals, discount: 19.9, total: 0 };
    const { page, form } = await mount({}, { totals: free });
    expect(page.frames).toEqual([]);
    expect(page.heard).toEqual([['ready']]);
    expect(await form.submit()).toEqual(success);
    expect(payments()).toEqual([{ sessionId, accountData }]);
  });

  it('a shell: the form before the claim, and the buyer’s data from after it', async () => {
    const shell = { status: 'unclaimed', accountData: null, totals: null };
    const { page, form } = await mount({}, shell);
    await form.submit();
    expect(page.heardOf('error')).toEqual([['error', 'checkout_session_data_attachment_required']]);
    test.now.service.session = { checkoutMode: 'payment', accountData, totals };
    expect(await form.submit()).toEqual(success);
  });

  it('a mount token that has run out is renewed, and what was typed pays', async () => {
    const { page, form } = await mount();
    if (page.frame) page.frame.isExpired = true;
    expect(await form.submit()).toEqual(success);
  });
});
