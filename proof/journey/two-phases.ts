// The hosted page of an unclaimed session: the card may be typed before the shop has sent the cart,
// and nothing is charged before the claim has settled. Spec: Unclaimed shell rules. Contract §3,
// §4.

import { randomUUID } from 'node:crypto';
import { scaled } from '@svc/tools/machine';
import { describe, expect, it } from 'vitest';
import { expectErrors, journey } from './fixture.ts';

// A charge that is held gets a 503.
expectErrors(/status of (402|409|503)|Unrecognized feature/);

type Shell = { id: string; nonce: string; url: string };

/** The shop's page opens the checkout before it has the cart. */
async function openShell(): Promise<Shell> {
  const { clientId } = journey.block;
  const { text } = await journey.call('/v1/checkouts/sessions', {
    method: 'POST',
    body: { clientId, currency: 'EUR', deferDataAttachment: true },
  });
  const shell = JSON.parse(text) as Shell;
  await journey.page.goto(shell.url);
  await journey.cardForm().getByLabel('Card number').waitFor();
  await journey.typeCard('4242424242424242');
  return shell;
}

async function claim({ id, nonce }: Shell, more: object = {}): Promise<void> {
  const { status } = await journey.call(`/v1/checkouts/sessions/${id}/claim`, {
    method: 'PATCH',
    headers: { 'x-checkout-session-token': nonce },
    body: {
      currency: 'EUR',
      products: [{ code: 'mug', quantity: 2 }],
      accountData: { userId: randomUUID(), email: 'ada@example.com' },
      ...more,
    },
  });
  expect(status).toBe(200);
}

const listCaptureAmounts = async () =>
  (await journey.ledger()).filter(({ kind }) => kind === 'capture').map(({ amount }) => amount);
const recordCalls = (path: string): string[] => {
  const seen: string[] = [];
  journey.page.on('response', (response) => {
    if (response.url().endsWith(path)) seen.push(String(response.status()));
  });
  return seen;
};
const isPaid = () =>
  journey.page.getByRole('heading', { name: 'Payment complete' }).waitFor({ timeout: 15_000 });

describe('claim and submit race', () => {
  it('claim first: cart and amount appear, what was typed stays, and the submit pays', async () => {
    const before = await listCaptureAmounts();
    const shell = await openShell();
    await journey.page.getByText('Waiting for your order').waitFor();
    await journey.shoot('shell');
    await claim(shell);
    await journey.payButton().getByText('€39.80').waitFor();
    await journey.shoot('shell-claimed');
    await journey.payButton().click();
    await isPaid();
    expect(await listCaptureAmounts()).toEqual([...before, 3980]);
  });

  it('submit first: held by the retryable 503, nothing charged; then claimed and charged once', async () => {
    const before = await listCaptureAmounts();
    const shell = await openShell();
    const answers = recordCalls('/vault-charge');
    await journey.payButton().click();
    await expect.poll(() => answers.length, { timeout: 8_000 }).toBeGreaterThan(0);
    await journey.payButton().getByText('Waiting for your order').waitFor();
    expect(await listCaptureAmounts()).toEqual(before);
    await claim(shell);
    await isPaid();
    expect(await listCaptureAmounts()).toEqual([...before, 3980]);
    // 409 when the claim came while a charge was held: the buyer has not seen the total yet.
    expect(answers.slice(0, -1).join(' ')).toMatch(/^503( 503)*( 409)?$/);
    expect(answers.at(-1)).toBe('200');
  });

  it('submit first, and the claim wants a hold: held, not charged', async () => {
    const before = await listCaptureAmounts();
    const shell = await openShell();
    const answers = recordCalls('/vault-charge');
    await journey.payButton().click();
    await expect.poll(() => answers.length, { timeout: 8_000 }).toBeGreaterThan(0);
    await claim(shell, { captureMethod: 'manual' });
    await journey.page
      .getByRole('heading', { name: 'Payment authorised' })
      .waitFor({ timeout: 15_000 });
    expect(await listCaptureAmounts()).toEqual(before);
  });

  it(
    'both at once, several times: one charge each',
    async () => {
      for (let round = 0; round < 3; round += 1) {
        const before = await listCaptureAmounts();
        const shell = await openShell();
        await Promise.all([journey.payButton().click(), claim(shell)]);
        await isPaid();
        expect(await listCaptureAmounts()).toEqual([...before, 3980]);
      }
    },
    scaled(40_000),
  );
});

describe('a shell that nobody claims', () => {
  it(
    'charges nothing, says so, and the same page pays once the claim has come',
    async () => {
      const before = await listCaptureAmounts();
      const shell = await openShell();
      await journey.payButton().click();
      await journey.page
        .getByRole('alert')
        .getByText('The shop has not completed your order yet. Nothing was charged')
        .waitFor({ timeout: 18_000 });
      await journey.shoot('shell-unclaimed');
      expect(await listCaptureAmounts()).toEqual(before);
      const status = await journey.call(`/v1/checkouts/sessions/${shell.id}/status`, {
        headers: { 'x-checkout-session-token': shell.nonce },
      });
      expect(JSON.parse(status.text).data).toMatchObject({ status: 'unclaimed', paymentId: null });
      await claim(shell);
      await journey.payButton().getByText('€39.80').waitFor();
      await journey.payButton().click();
      await isPaid();
      expect(await listCaptureAmounts()).toEqual([...before, 3980]);
    },
    scaled(40_000),
  );

  it('runs out after an hour: the page says that it has expired and nothing was charged', async () => {
    const before = await listCaptureAmounts();
    await openShell();
    await journey.advance(3_700);
    const expired = journey.page.getByRole('heading', { name: 'This payment link has expired' });
    // The page may notice the expiry by itself and remove the button before the click.
    await journey.payButton().or(expired).first().click();
    // When this fails, the error contains the page's text.
    const readBody = () => journey.page.locator('body').textContent();
    await expect.poll(readBody, { timeout: 15_000 }).toContain('This payment link has expired');
    await expired.waitFor();
    await journey.page.getByText('Nothing was charged.').waitFor();
    expect(await listCaptureAmounts()).toEqual(before);
  });
});
