// CardPayment, the React component that pays a checkout session in a merchant's own page. What a submit sends and
// how it ends: payment-form.test.ts, without a browser.

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleReactPage } from '../../bundle-react-page.ts';
import type { renderPayment } from '../../react-page.ts';
import {
  attempt,
  cardSetupFixture,
  nonce,
  type StubbedResponse,
  sessionId,
} from '../../test-fixture.ts';

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
const paid: StubbedResponse = { status: 200, body: paidBody };
const success = { type: 'success', body: paidBody };

const frames = () => fixture.page.locator('iframe').count();
const reads = () => fixture.calls(new RegExp(`/sessions/${sessionId}$`)).length;
const readNumber = () => fixture.number().inputValue();
const submit = () => fixture.page.evaluate('card.current.submit()');
const change = (props: object) =>
  fixture.page.evaluate(`change(${JSON.stringify(props)})`).then(() => fixture.settled());

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
  it('StrictMode: one form, one read, what is typed stays, and nothing is left behind', async () => {
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
    await fixture.page.evaluate('leave()');
    await expect.poll(frames).toBe(0);
  });

  it('another session is another form, and the old one is not paid', async () => {
    await renderReady();
    await fixture.number().fill('4242');
    await change({ baseUrl: `${fixture.api}/` });
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(2);
    expect([await frames(), await readNumber()]).toEqual([1, '']);
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

  it.each(['42', 'ada@example.com'])('for a buyer whom the shop calls %s', async (externalId) => {
    await renderReady({}, { accountData: { ...accountData, externalId } });
    await fixture.number().fill('4242424242424242');
    expect(await submit()).toEqual(success);
    expect(fixture.calls(/process$/)).toMatchObject([{ userId: externalId }]);
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
});
