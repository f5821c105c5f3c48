// Forgetting a person on the customer's page.

import { beforeAll, describe, expect, it } from 'vitest';
import { vouchedSession } from '../../../service/test/customers/saved-cards.ts';
import { aSetupSession, submitCard } from '../../../service/test/customers/setups.ts';
import { newId } from '../../../service/test/harness.ts';
import { pay } from '../../../service/test/world.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;

beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
});

const region = (name: string) => test.page.getByRole('region', { name });

describe('dashboard, forgetting a person', () => {
  it('asks first, removes the card and blanks the page; the payment stays', async () => {
    const { world } = test;
    const session = await vouchedSession(world);
    await pay(world, session);
    const { userId } = session;
    const twin = await vouchedSession(world);
    const setup = await aSetupSession(world, { userId });
    await submitCard(world, setup, '5555555555554444');
    const page = await test.visit(owner, `/customers/${userId}`);
    await test.heading('buyer@example.test').waitFor();
    await region('Payments').getByText('Visa •••• 4242').waitFor();
    await test.button('Forget this person').click();
    const ask = test.dialog('Forget this person for good?');
    await ask.getByText('Nobody can take this back.').waitFor();
    await test.look('dashboard-forget-dialog');
    await ask.getByRole('button', { name: 'Keep' }).click();
    await test.heading('buyer@example.test').waitFor();
    await test.button('Forget this person').click();
    await ask.getByRole('button', { name: 'Forget for good' }).click();
    await page.getByRole('status').filter({ hasText: 'This person is forgotten.' }).waitFor();
    await test.heading('Forgotten customer').waitFor();
    const same = region('Same address').getByRole('link', { name: twin.userId });
    expect(await same.getAttribute('href')).toContain(`/customers/${twin.userId}`);
    await region('Facts').getByText('Forgotten on').waitFor();
    await region('Payments').getByText('€19.90').waitFor();
    await region('Saved cards').getByText('Removed').first().waitFor();
    await region('Payments').getByText('4242').waitFor({ state: 'detached' });
    expect(await page.getByRole('main').textContent()).not.toMatch(/buyer@example|4242|4444/);
    expect(await test.button('Forget this person').count()).toBe(0);
    await test.look('dashboard-forgotten');
    const payments = region('Payments').getByRole('link');
    await payments.first().click();
    await page.getByRole('textbox', { name: 'New note' }).fill('The buyer called.');
    await test.button('Add note').click();
    await page.getByText('The buyer called.').waitFor();
    await page.goto(test.at(`/customers/${userId}`));
    await test.button('Erase later notes').click();
    const again = test.dialog('Erase the notes for good?');
    await again.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByRole('status').filter({ hasText: 'The later notes are erased.' }).waitFor();
    const notes = await test.ask<{ total: number }>('/v1/notes?resourceType[eq]=payment');
    expect(notes.total).toBe(0);
    await page.goto(test.at('/customers'));
    await page.getByRole('link', { name: 'Forgotten customer' }).waitFor();
  });

  it('an id that nobody has: nothing is offered', async () => {
    await test.visit(owner, `/customers/${newId()}`);
    await test.page.getByText('There is no customer, session or payment with this id.').waitFor();
    expect(await test.button('Forget this person').count()).toBe(0);
  });

  it('what is still open is named, with a way to it', async () => {
    const { world } = test;
    const { userId, sessionId } = await vouchedSession(world);
    const page = await test.visit(owner, `/customers/${userId}`);
    await test.button('Forget this person').click();
    await test.button('Forget for good').click();
    const link = page.getByRole('alert').getByRole('link', { name: 'A checkout session' });
    expect(await link.getAttribute('href')).toContain(`/sessions/${sessionId}`);
  });
});
