// Checkout sessions as a merchant's people see them: how far each buyer came.

import { beforeAll, describe, expect, it } from 'vitest';
import { aSession, cards, pay } from '../../../service/test/world.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

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
    await page.goto(test.at(`/sessions/${sessionId}`));
    await test.heading('Session of €19.90').waitFor();
    await page.getByRole('region', { name: 'Cart' }).getByText('1 × Mug').waitFor();
    await page.getByText('Nobody tried to pay it.').waitFor();
  });

  it('are ended before their time, once it was asked', async () => {
    const { sessionId } = await aSession(test.world, {});
    const page = await test.visit(admin, `/sessions/${sessionId}`);
    await test.button('Expire').click();
    await test.dialog('End this session now?').getByRole('button', { name: 'Keep it' }).click();
    await test.button('Expire').click();
    await test.button('End it').click();
    await page.getByRole('status').filter({ hasText: 'Expired' }).waitFor();
    const news = page.getByRole('status').filter({ hasText: 'The session is ended.' });
    await news.waitFor();
    expect(await news.evaluate((own) => own === document.activeElement)).toBe(true);
    expect(await test.button('Expire').count()).toBe(0);
    const told = await test.ask<{ status: string }>(`/v1/checkout-sessions/${sessionId}`);
    expect(told.status).toBe('expired');
  });

  it('say so when the buyer paid meanwhile, and stay paid', async () => {
    const session = await aSession(test.world, { captureMethod: 'automatic' });
    const page = await test.visit(admin, `/sessions/${session.sessionId}`);
    await test.button('Expire').click();
    await pay(test.world, session);
    await test.button('End it').click();
    await page.getByRole('status').filter({ hasText: 'Completed' }).waitFor();
    await test.alert().getByText('The session was not ended').waitFor();
    expect(await test.button('Expire').count()).toBe(0);
    expect(
      await test.alert().evaluate((box) => Boolean(document.activeElement?.contains(box))),
    ).toBe(true);
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false);
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
});
