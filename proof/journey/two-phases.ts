// The hosted page of an unclaimed session: the card may be typed before the shop has sent the cart,
// and nothing is charged before the claim has settled. Spec: Unclaimed shell rules. Contract §3,
// §4.

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { expectErrors, journey } from './fixture.ts';

// A charge that is held gets a 503.
expectErrors(/status of (402|409|503)|Unrecognized feature/);

const listCaptureAmounts = async () =>
  (await journey.ledger()).filter(({ kind }) => kind === 'capture').map(({ amount }) => amount);

it('paid before the claim: held by the retryable 503, nothing charged; then claimed and charged once', async () => {
  const before = await listCaptureAmounts();
  // The shop's page opens the checkout before it has the cart.
  const { text } = await journey.call('/v1/checkouts/sessions', {
    method: 'POST',
    body: { clientId: journey.block.clientId, currency: 'EUR', deferDataAttachment: true },
  });
  const { id, nonce, url } = JSON.parse(text) as { id: string; nonce: string; url: string };
  const answers: string[] = [];
  journey.page.on('response', (response) => {
    if (response.url().endsWith('/vault-charge')) answers.push(String(response.status()));
  });
  await journey.page.goto(url);
  await journey.cardForm().getByLabel('Card number').waitFor();
  await journey.page.getByText('Waiting for your order').waitFor();
  await journey.shoot('shell');
  await journey.typeCard('4242424242424242');
  await journey.payButton().click();
  await expect.poll(() => answers.length, { timeout: 8_000 }).toBeGreaterThan(0);
  await journey.payButton().getByText('Waiting for your order').waitFor();
  expect(await listCaptureAmounts()).toEqual(before);
  const claimed = await journey.call(`/v1/checkouts/sessions/${id}/claim`, {
    method: 'PATCH',
    headers: { 'x-checkout-session-token': nonce },
    body: {
      currency: 'EUR',
      products: [{ code: 'mug', quantity: 2 }],
      accountData: { userId: randomUUID(), email: 'ada@example.com' },
    },
  });
  expect(claimed.status).toBe(200);
  await journey.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  expect(await listCaptureAmounts()).toEqual([...before, 3980]);
  // 409 when the claim came while a charge was held: the buyer has not seen the total yet.
  expect(answers.slice(0, -1).join(' ')).toMatch(/^503( 503)*( 409)?$/);
  expect(answers.at(-1)).toBe('200');
});
