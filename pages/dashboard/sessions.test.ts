// Checkout sessions as a merchant's people see them: how far each buyer came.

import { beforeAll, describe, expect, it } from 'vitest';
import { aSession, cards } from '../../service/test/world.ts';
import type { TestPerson } from '../account-ground.ts';
import { dashboardTest } from '../dashboard-ground.ts';

const test = dashboardTest();
let admin: TestPerson;
beforeAll(async () => {
  admin = await test.colleague('Anna Admin', 'admin');
});

describe('dashboard, sessions', () => {
  it('are listed with how far they came, and opened: cart, attempts, expiry', async () => {
    const { sessionId } = await aSession(test.world, {});
    await test.payment({ card: cards.poor });
    const page = await test.visit(admin, '/sessions');
    const table = page.getByRole('table', { name: 'Sessions' });
    await table.getByText('At the card form, after a decline').waitFor();
    await test.look('sessions');
    await page.goto(test.at(`/sessions/${sessionId}`));
    await test.heading('Session of €19.90').waitFor();
    await page.getByRole('region', { name: 'Cart' }).getByText('1 × Mug').waitFor();
    await page.getByText('Nobody tried to pay it.').waitFor();
    await test.look('session');
  });

  it('are opened from their payment, and lead to it', async () => {
    const payment = await test.payment();
    const page = await test.visit(admin, `/payments/${payment.id}`);
    await page.getByRole('link', { name: 'Open the checkout session' }).click();
    const attempts = page.getByRole('region', { name: 'Attempts' });
    await attempts.getByRole('link', { name: 'succeeded' }).click();
    await test.heading('€19.90').waitFor();
    expect(page.url()).toContain(payment.id);
  });

  it('of another merchant are told to be missing', async () => {
    await test.visit(admin, '/sessions/01a219a4-a6fd-7000-9833-de7c5e4a92ae');
    await test.alert().waitFor();
  });
});
