// CardPayment, the React component that pays a checkout session in a merchant's own page.

import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleReactPage } from '../bundle-react-page.ts';
import type { renderPayment } from '../react-page.ts';
import {
  type Answer,
  attempt,
  cardSetupFixture,
  challengeState,
  nonce,
  refusal,
  sessionId,
} from '../test-fixture.ts';
import { CardPayment } from './react.ts';

const fixture = cardSetupFixture();
const accountData = {
  userId: '01990000-0000-7000-8000-0000000000aa',
  email: 'ada@example.com',
};
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
const paid: Answer = { status: 200, body: paidBody };
const success = { type: 'success', body: paidBody };
const declined = refusal('card_declined', {
  declineCode: 'insufficient_funds',
  advice: 'try_again_later',
});

const frames = () => fixture.page.locator('iframe').count();
const reads = () => fixture.calls(new RegExp(`/sessions/${sessionId}$`)).length;
const readNumber = () => fixture.number().inputValue();
const submit = () => fixture.page.evaluate('card.current.submit()');
const change = (props: object) =>
  fixture.page.evaluate(`change(${JSON.stringify(props)})`).then(() => fixture.settled());
const button = (name: string) => fixture.page.getByRole('button', { name, exact: true });

beforeEach(() => {
  fixture.setups = [paid];
});
beforeAll(async () => {
  Object.assign(fixture.extra, await bundleReactPage());
});

/** Renders a merchant's page in StrictMode and waits for its form, if it has one. */
async function render(props: object = {}, session: object = {}): Promise<void> {
  fixture.session = { checkoutMode: 'payment', accountData, totals, ...session };
  await fixture.visit();
  const identity = { baseUrl: fixture.api, sessionId, nonce };
  const first: Parameters<typeof renderPayment>[0] = { ...identity, ...props };
  await fixture.page.evaluate(`import('/page-react.js').then(({ renderPayment }) => {
    globalThis.leave = renderPayment(${JSON.stringify(first)}, globalThis);
  })`);
}
async function renderReady(props: object = {}, session: object = {}): Promise<void> {
  await render(props, session);
  await expect.poll(() => fixture.heardOf('ready')).toHaveLength(1);
}

describe('the form', () => {
  it('StrictMode: one form, one read of the session, and what is typed stays', async () => {
    await renderReady();
    await fixture.number().fill('4242');
    await change({ title: 'Your card', appearance: { theme: 'dark' } });
    expect([await frames(), await readNumber(), reads()]).toEqual([1, '4242', 1]);
    expect(await fixture.page.locator('#react-card iframe').getAttribute('title')).toBe(
      'Your card',
    );
    const options = await fixture
      .number()
      .evaluate((field) => JSON.parse(field.ownerDocument.body.dataset.options ?? '{}'));
    expect(options).toMatchObject({ appearance: { theme: 'dark' } });
  });

  it('on a server it is its container, and nothing is asked of a document', () => {
    const identity = { baseUrl: 'https://pay.example', sessionId, nonce };
    const html = renderToString(createElement(CardPayment, { ...identity, className: 'host' }));
    expect(html).toBe('<div class="host"></div>');
  });

  it('unmounted: the form goes, a payment that runs is waited for no more, nobody is told', async () => {
    fixture.setups = [() => new Promise<never>(() => {}), paid];
    await renderReady();
    await fixture.number().fill('4242424242424242');
    await fixture.page.evaluate('globalThis.running = card.current.submit(), undefined');
    await expect.poll(() => fixture.payments().length).toBe(1);
    await fixture.page.evaluate('leave()');
    await expect.poll(frames).toBe(0);
    expect(await fixture.page.evaluate('running')).toEqual({ type: 'cancel', reason: 'aborted' });
    expect((await fixture.heard()).map(([name]) => name)).toEqual(['ready']);
  });

  it('another session is another form, and the old one is not paid', async () => {
    await renderReady();
    await fixture.number().fill('4242');
    await change({ baseUrl: `${fixture.api}/` });
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(2);
    expect([await frames(), await readNumber()]).toEqual([1, '']);
    expect(fixture.payments()).toEqual([]);
  });

  it.each([
    ['setup', { checkoutMode: 'setup' }, ['error', 'checkout_session_is_setup']],
    ['expired', { status: 'expired' }, ['loaderror', 'session_expired']],
  ])('a session that is %s shows none, and says why', async (_, session, told) => {
    await render({}, session);
    await expect.poll(() => fixture.heard()).toEqual([told]);
    expect(await frames()).toBe(0);
  });

  it('a session that was paid before tells its success, and pays nothing', async () => {
    const past = { status: 'completed', paymentId, authorizationExpiresAt: null };
    await render({}, { ...past, successUrl: '/thanks' });
    await expect.poll(() => fixture.heard()).toEqual([['success', null, paidBody]]);
    expect(await submit()).toEqual(success);
    expect(fixture.payments()).toEqual([]);
  });
});

describe('paying', () => {
  it('by the card of the form: once, however often it is submitted, and the newest callback hears', async () => {
    await renderReady();
    await fixture.number().fill('4242424242424242');
    await change({ title: 'Newest' });
    const ends = await fixture.page.evaluate(
      'Promise.all([card.current.submit(), card.current.submit()])',
    );
    expect(ends).toEqual([success, success]);
    expect(await submit()).toEqual(success);
    const tokenizedData = { provider: 'cardprovider', type: 'card', token: 'svct_1' };
    expect(fixture.payments()).toEqual([{ sessionId, accountData, tokenizedData }]);
    expect(await fixture.heardOf('success')).toEqual([['success', 'Newest', paidBody]]);
    expect(await readNumber()).toBe('');
  });

  it('Enter in the form pays', async () => {
    await renderReady();
    await fixture.number().fill('4242424242424242');
    await fixture.number().press('Enter');
    await expect.poll(() => fixture.heardOf('success')).toHaveLength(1);
  });

  it('an incomplete form: the field’s code, and nothing is sent', async () => {
    await renderReady();
    await submit();
    expect(await fixture.heardOf('error')).toEqual([['error', 'number_incomplete']]);
    expect(fixture.payments()).toEqual([]);
  });

  it('declined: what the bank said and what to do; the next submit takes a new token', async () => {
    fixture.setups = [declined, paid];
    await renderReady();
    await fixture.number().fill('4000000000009995');
    expect(await submit()).toEqual({
      type: 'decline',
      code: 'insufficient_funds',
      message: expect.stringMatching(/./),
      advice: 'try_again_later',
      retryable: true,
    });
    expect(await submit()).toEqual(success);
    const tokens = fixture.payments().map((body) => Reflect.get(body, 'tokenizedData').token);
    expect(tokens).toEqual(['svct_1', 'svct_2']);
  });

  it('the bank asks in its dialog, and the same payment goes on from there', async () => {
    fixture.setups = [fixture.challenge(), paid];
    await renderReady();
    await fixture.number().fill('4000002760003184');
    await fixture.page.evaluate('globalThis.running = card.current.submit(), undefined');
    fixture.standings = [{ status: 'requires_action', attempt: attempt('REQUIRES_ACTION') }];
    await fixture.question().getByRole('heading', { name: 'Your bank' }).waitFor();
    await fixture.question().getByRole('link', { name: 'Approve' }).click();
    fixture.standings = [{ status: 'completed', paymentId }];
    expect(await fixture.page.evaluate('running')).toEqual(success);
    expect(await fixture.heardOf('success')).toHaveLength(1);
  });

  it('the bank’s question given up: cancelled, and nothing was charged', async () => {
    fixture.setups = [fixture.challenge()];
    await renderReady();
    await fixture.number().fill('4000002760003184');
    fixture.standings = [{ status: 'open' }, challengeState];
    await fixture.page.evaluate('globalThis.running = card.current.submit(), undefined');
    await fixture.dialog().waitFor();
    await button('Cancel').click();
    await button('Stop').click();
    expect(await fixture.page.evaluate('running')).toEqual({ type: 'cancel', reason: 'cancelled' });
    expect(await fixture.heardOf('cancel')).toHaveLength(1);
  });

  it('not known yet is processing, never an error', async () => {
    fixture.setups = [{ status: 202, body: { ...paidBody, type: 'processing' } }];
    fixture.standings = [{ status: 'processing', attempt: attempt('UNKNOWN') }];
    await renderReady();
    await fixture.page.clock.install();
    await fixture.number().fill('4242424242424242');
    await fixture.page.evaluate(
      'globalThis.end = null; card.current.submit().then((r) => (end = r)), undefined',
    );
    await expect.poll(() => fixture.payments().length).toBe(1);
    await expect
      .poll(async () => {
        await fixture.page.clock.fastForward(30_000);
        return fixture.page.evaluate('end');
      })
      .toEqual({ type: 'processing' });
    expect((await fixture.heard()).map(([name]) => name)).not.toContain('error');
  });

  it('a saved card pays without the form; taken back, the form pays again', async () => {
    const id = '01990000-0000-7000-8000-000000000bee';
    await renderReady({ paymentMethodId: id, expectedTotal: 19.9 });
    fixture.setups = [declined, paid];
    await submit();
    await fixture.number().fill('4242424242424242');
    await change({ paymentMethodId: null, saveForLater: true });
    expect(await submit()).toEqual(success);
    const card = { provider: 'cardprovider', type: 'card' };
    const rest = { sessionId, accountData, expectedTotal: 19.9 };
    expect(fixture.payments()).toEqual([
      { ...rest, tokenizedData: { ...card, paymentMethodId: id } },
      { ...rest, tokenizedData: { ...card, token: 'svct_1', saveForLater: true } },
    ]);
  });

  it('an order that costs nothing needs no form, and is completed without a card', async () => {
    const free = { ...paidBody, paymentId: null };
    fixture.setups = [
      { status: 200, body: free },
      { status: 200, body: free },
    ];
    await renderReady({}, { totals: { ...totals, discount: 19.9, total: 0 } });
    expect(await frames()).toBe(0);
    expect(await submit()).toEqual({ type: 'success', body: free });
    expect(fixture.payments()).toEqual([{ sessionId, accountData }]);
  });

  it('a shell: the form before the claim, and the buyer’s data from after it', async () => {
    await renderReady({}, { status: 'unclaimed', accountData: null, totals: null });
    await fixture.number().fill('4242424242424242');
    await submit();
    expect(await fixture.heardOf('error')).toEqual([
      ['error', 'checkout_session_data_attachment_required'],
    ]);
    fixture.session = { checkoutMode: 'payment', accountData, totals };
    expect(await submit()).toEqual(success);
  });

  it('a mount token that has run out is renewed, and what was typed pays', async () => {
    fixture.form = 'expired';
    await renderReady();
    await fixture.number().fill('4242424242424242');
    expect(await submit()).toEqual(success);
  });
});
