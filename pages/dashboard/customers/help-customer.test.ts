// Support mails the link to the customer's page, and corrects name, language and address.

import { beforeAll, describe, expect, it } from 'vitest';
import { aClub } from '../../../service/test/customers/subscriptions.ts';
import { aCustomer } from '../../../service/test/harness.ts';
import { mailsTo } from '../../../service/test/people/accounts.ts';
import { buyerEmail } from '../../../service/test/world.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();
let support: TestPerson;
beforeAll(async () => {
  support = await test.colleague('Sam Support', 'support');
});

const aBuyer = (email: string) => aCustomer(test.world.database, test.world.client, { email });
const help = () => test.page.getByRole('region', { name: 'Help this customer' });
const told = (text: string) => test.page.getByRole('status').filter({ hasText: text }).waitFor();
const mails = async (to: string) => (await mailsTo(test.world.ports, to)).map(({ kind }) => kind);
const customer = (id: string) => test.ask<Record<string, string>>(`/v1/customers/${id}`);

describe('dashboard, help a customer', () => {
  it('mails the customer’s page from the customer and from the payment', async () => {
    const { id, email } = await aBuyer('page@buyers.example');
    const page = await test.visit(support, `/customers/${id}`);
    await help().getByRole('button', { name: 'Mail the customer’s page' }).click();
    const dialog = test.dialog('Mail the customer’s page');
    await dialog.getByText('It works for seven days.').waitFor();
    await test.look('dashboard-customer-mail-page');
    await dialog.getByRole('button', { name: `Mail it to ${email}` }).click();
    await told(`The link is on its way to ${email}.`);
    expect(await mails(email)).toEqual(['buyer_page_link']);
    const { paymentId } = await aClub(test.world);
    await page.goto(test.at(`/payments/${paymentId}`));
    await test.button('Mail the customer’s page').click();
    await dialog.getByRole('button', { name: `Mail it to ${buyerEmail}` }).click();
    await told(`The link is on its way to ${buyerEmail}.`);
    expect(await mails(buyerEmail)).toContain('buyer_page_link');
    // Who paid as a guest may have typed another customer’s id.
    await page.goto(test.at(`/payments/${(await test.payment()).id}`));
    await page.getByRole('region', { name: 'Facts' }).waitFor();
    expect(await test.button('Mail the customer’s page').count()).toBe(0);
  });

  it('corrects name and language, and leaves what it did not change', async () => {
    const { id, email } = await aBuyer('name@buyers.example');
    await test.visit(support, `/customers/${id}`);
    await help().getByRole('button', { name: 'Correct name or language' }).click();
    const dialog = test.dialog('Correct name or language');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Ada King');
    await dialog.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await told('Saved.');
    expect(await customer(id)).toMatchObject({ name: 'Ada King', language: 'de', email });
    await test.page.getByRole('region', { name: 'Facts' }).getByText('Deutsch').waitFor();
  });

  it('asks the reader of a corrected address, which waits, and can be taken back', async () => {
    const { id, email } = await aBuyer('old@buyers.example');
    await test.visit(support, `/customers/${id}`);
    const correct = async (to: string) => {
      await help().getByRole('button', { name: 'Correct the address' }).click();
      const dialog = test.dialog('Correct the address');
      await dialog.getByRole('textbox', { name: 'Address' }).fill(to);
      await dialog.getByRole('button', { name: 'Ask its reader to confirm' }).click();
      await told(`${to} was asked to confirm, within a day.`);
    };
    await correct('new@buyers.example');
    await help().getByText('new@buyers.example waits to be confirmed').waitFor();
    await test.look('dashboard-customer-pending-address');
    expect(await mails('new@buyers.example')).toEqual(['buyer_confirm_address']);
    expect(await customer(id)).toMatchObject({ email });
    await help().getByRole('button', { name: 'Take it back: new@buyers.example' }).click();
    await told('will not become');
    expect(await help().getByText('waits to be confirmed').count()).toBe(0);
  });

  it('offers nothing of it to a viewer', async () => {
    const viewer = await test.colleague('Vera Viewer', 'viewer');
    const { id } = await aBuyer('seen@buyers.example');
    const page = await test.visit(viewer, `/customers/${id}`);
    await page.getByRole('region', { name: 'Facts' }).waitFor();
    expect(await help().count()).toBe(0);
    await page.goto(test.at(`/payments/${(await test.payment()).id}`));
    await page.getByRole('region', { name: 'Facts' }).waitFor();
    expect(await test.button('Mail the customer’s page').count()).toBe(0);
  });
});
