// The buttons of the provider's express checkout, and the wallet's sheet that they open.

import { expect } from 'vitest';
import { journey } from './fixture.ts';

export const countCaptures = async () =>
  (await journey.ledger()).filter(({ kind }) => kind === 'capture').length;

/** The provider's frame inside the frame of the card origin. */
const buttonsOn = (title: string) =>
  journey.page.frameLocator(`iframe[title="${title}"]`).frameLocator('#express iframe');
export const pageButtons = () => buttonsOn('Express checkout');
export const hosted = () => buttonsOn('Google Pay, Link');
// Pressed by keyboard: for a moment after a frame has come or moved, Chromium sends a click at its place to
// the frame that was there before.
export const pressButton = (name: string) =>
  pageButtons().getByRole('button', { name, exact: true }).press('Enter');
export const pressHosted = (name: string, options: { timeout?: number } = {}) =>
  hosted().getByRole('button', { name, exact: true }).press('Enter', options);

/** Opens the wallet's sheet. While the total is settled the buttons take no press, so a buyer presses again. */
export async function openSheet(name: 'Google Pay' | 'Link' = 'Google Pay'): Promise<void> {
  const approve = hosted().getByRole('button', { name: `Approve with ${name}` });
  const open = async () => {
    await pressHosted(name, { timeout: 1000 }).catch(() => undefined);
    return approve.isVisible();
  };
  await expect.poll(open, { interval: 300, timeout: 20_000 }).toBe(true);
}

/** Returns the merchant's newest payment, as the API shows it. */
export async function lastPayment(): Promise<Record<string, unknown>> {
  const { text } = await journey.call('/v1/payments?limit=1');
  const { data } = JSON.parse(text) as { data: Record<string, unknown>[] };
  return data[0] ?? {};
}

export async function declineNext(): Promise<void> {
  const response = await fetch(`${journey.block.sandboxUrl}/_control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ match: { path: '/v1/payment_intents' }, action: 'decline', count: 1 }),
  });
  expect(response.status).toBe(200);
}

/** The buttons of the hosted page. */
export async function goToButtons(
  captureMethod: 'automatic' | 'manual' = 'automatic',
): Promise<void> {
  await journey.goToCheckout(captureMethod);
  await journey.page.locator('.express[data-shown]').waitFor();
  await hosted().getByRole('button', { name: 'Google Pay' }).waitFor();
}

export async function approve(name: 'Google Pay' | 'Link' = 'Google Pay'): Promise<void> {
  await openSheet(name);
  await pressHosted(`Approve with ${name}`);
}

export const sheetSays = (text: RegExp) => hosted().getByText(text).waitFor();
