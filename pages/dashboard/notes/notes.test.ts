// Notes of colleagues beside payments and customers: who writes, changes and deletes them.

import type { Note } from '@svc/contract/dashboard/notes';
import type { Payment } from '@svc/contract/payments/payments';
import type { AuditEntry } from '@svc/contract/settings/audit-log';
import { beforeAll, describe, expect, it } from 'vitest';
import { aCustomer, newId } from '../../../service/test/harness.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;
let member: TestPerson;
let viewer: TestPerson;
let payment: Payment;
beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  member = await test.colleague('Max Member', 'member');
  viewer = await test.colleague('Vera Viewer', 'viewer');
  payment = await test.payment();
});

const region = () => test.page.getByRole('region', { name: 'Notes' });
const box = () => region().getByRole('textbox', { name: 'New note' });
const note = (text: string) =>
  region().getByRole('list', { name: 'Notes' }).getByRole('listitem').filter({ hasText: text });
const news = (text: string) => region().getByRole('status').filter({ hasText: text });
const at = ({ id }: Payment) => `/payments/${id}`;

const apiNote = <T = { code: string }>(person: TestPerson, method: string, given: object) => {
  const { path = '', ...body } = given as { path?: string };
  const clientId = test.world.client.id;
  return test.callAs<T>(person, { method, path: `/v1/notes${path}`, body, clientId, key: newId() });
};

const notesOf = async (id: string) =>
  (await test.ask<{ data: Note[] }>(`/v1/notes?resourceId[eq]=${id}`)).data;

/** What the audit log tells of a note, oldest first: action, text before, text after. */
async function history(id: string) {
  const query = `resourceType[eq]=note&resourceId[eq]=${id}&sortDirection=ASC`;
  const { data } = await test.ask<{ data: AuditEntry[] }>(`/v1/audit-entries?${query}`);
  return data.map(({ action, before, after }) => [action, before?.text, after?.text]);
}

describe('dashboard, notes', () => {
  it('are written with the key n, in several lines, with author and time', async () => {
    const page = await test.visit(member, at(payment));
    await box().waitFor();
    await page.keyboard.press('n');
    expect(await box().evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.type('Rang twice.');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Calls back on Monday.');
    await test.button('Add note').click();
    await news('The note is added.').waitFor();
    const written = note('Rang twice.');
    expect(await written.locator('.lines').textContent()).toBe(
      'Rang twice.\nCalls back on Monday.',
    );
    expect(await written.textContent()).toContain('Max Member');
    expect(await written.getByRole('time').count()).toBe(1);
    expect(await box().inputValue()).toBe('');
    await test.look('dashboard-notes');
  });

  it('what was done is told until the next act begins, also one that is not sent', async () => {
    const page = await test.visit(owner, at(await test.payment()));
    await box().fill('Told once.');
    await test.button('Add note').click();
    await news('The note is added.').waitFor();
    await test.button('Add note').click();
    await test.alert().getByText('Write something.').waitFor();
    expect(await news('The note is added.').count()).toBe(0);
    await box().fill('Told again.');
    await test.button('Add note').click();
    await news('The note is added.').waitFor();
    // An action elsewhere on the page.
    await test.button('Mail the receipt').click();
    await test.dialog('Mail the receipt').getByRole('button', { name: 'Mail the receipt' }).click();
    await page.getByRole('status').filter({ hasText: 'The receipt is on its way' }).waitFor();
    expect(await news('The note is added.').count()).toBe(0);
    await page.getByRole('status').and(page.locator(':focus')).waitFor();
  });

  it('are changed by their author alone, deleted by author and owner; the audit log keeps them', async () => {
    await test.visit(owner, at(payment));
    await box().fill('Asked for an invoice.');
    await test.button('Add note').click();
    await note('Asked for an invoice.').waitFor();
    const own = (await notesOf(payment.id)).find(({ text }) => text.startsWith('Asked')) as Note;
    await region().getByRole('button', { name: 'Edit: the note of Olga Owner' }).click();
    const changing = region().getByRole('textbox', { name: 'Note', exact: true });
    expect(await changing.evaluate((field) => field === document.activeElement)).toBe(true);
    await changing.fill('Has the invoice.');
    await test.button('Save').click();
    await news('The note is changed.').waitFor();
    expect(await note('Has the invoice.').textContent()).toContain('changed');

    await test.visit(member, at(payment));
    await note('Has the invoice.').waitFor();
    expect(await note('Has the invoice.').getByRole('button').count()).toBe(0);
    expect(
      await region().getByRole('button', { name: 'Edit: the note of Max Member' }).count(),
    ).toBe(1);
    const refused = await apiNote(member, 'PATCH', { path: `/${own.id}`, text: 'Mine now.' });
    expect([refused.status, refused.body.code]).toEqual([403, 'note_of_another']);

    const page = await test.visit(owner, at(payment));
    await region().getByRole('button', { name: 'Delete: the note of Max Member' }).click();
    await test.dialog('Delete this note?').getByRole('button', { name: 'Keep it' }).click();
    await note('Rang twice.').waitFor();
    await region().getByRole('button', { name: 'Delete: the note of Olga Owner' }).click();
    await test.dialog('Delete this note?').getByRole('button', { name: 'Delete it' }).click();
    await news('The note is deleted.').waitFor();
    expect(await note('Has the invoice.').count()).toBe(0);
    expect(await history(own.id)).toEqual([
      ['note.created', undefined, 'Asked for an invoice.'],
      ['note.updated', 'Asked for an invoice.', 'Has the invoice.'],
      ['note.deleted', 'Has the invoice.', undefined],
    ]);
    await page.goto(test.at('/settings/audit?action=note.updated'));
    const log = page.getByRole('table', { name: 'Entries' });
    await log.getByRole('button').first().waitFor();
    for (const entry of await log.getByRole('button').all()) await entry.click();
    await log.getByText('Has the invoice.').first().waitFor();
  });

  it('are not overwritten by their author’s other tab', async () => {
    const written = { resourceType: 'payment', resourceId: payment.id, text: 'To be called.' };
    const { id } = (await apiNote<Note>(owner, 'POST', written)).body;
    const page = await test.visit(owner, at(payment));
    await note('To be called.').getByRole('button', { name: /^Edit/ }).click();
    const changing = region().getByRole('textbox', { name: 'Note', exact: true });
    await changing.fill('To be called on Monday.');
    const elsewhere = await apiNote(owner, 'PATCH', { path: `/${id}`, text: 'Was called.' });
    expect(elsewhere.status).toBe(200);
    await page.clock.setSystemTime(Date.now() + 60_000);
    await Promise.all([
      page.waitForResponse((answer) => answer.url().includes('/v1/notes?')),
      page.evaluate(() => dispatchEvent(new Event('focus'))),
    ]);
    await test.button('Save').click();
    await test
      .alert()
      .getByText(/^Somebody changed this note in the meantime/)
      .waitFor();
    expect(await changing.inputValue()).toBe('To be called on Monday.');
    expect((await notesOf(payment.id)).map(({ text }) => text)).toContain('Was called.');
    await test.button('Cancel').click();
    const edit = note('Was called.').getByRole('button', { name: /^Edit/ });
    await edit.waitFor();
    expect(await edit.evaluate((own) => own === document.activeElement)).toBe(true);
    await apiNote(owner, 'DELETE', { path: `/${id}` });
  });

  it('take no card number: it is refused in words, sent nowhere, and by the API', async () => {
    const page = await test.visit(member, at(payment));
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')));
    await box().fill('The card is 4242 4242 4242 4242');
    await region().getByText('This is a full card number').waitFor();
    expect(await box().getAttribute('aria-invalid')).toBe('true');
    await test.button('Add note').click();
    await test.look('dashboard-notes-card');
    await box().fill('The card ends in 4242');
    await test.button('Add note').click();
    await note('The card ends in 4242').waitFor();
    expect(sent.join()).not.toMatch(/4242\D{0,3}4242/);
    const answer = await apiNote(member, 'POST', {
      resourceType: 'payment',
      resourceId: payment.id,
      text: 'The card is 4242 4242 4242 4242',
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'raw_card_data_forbidden']);
  });

  it('outlive a reload and a sign-out while they are written, and are written once', async () => {
    const page = await test.visit(member, at(payment));
    await box().fill('Half of a thought');
    await page.reload();
    await box().waitFor();
    expect(await box().inputValue()).toBe('Half of a thought');
    await test.call('POST', '/v1/account/sign-out', { body: {} });
    await test.button('Add note').click();
    await page.waitForURL(/\/account\/sign-in/);
    await test.signIn(member);
    await box().waitFor();
    expect(await box().inputValue()).toBe('Half of a thought');
    await test.button('Add note').dblclick();
    await news('The note is added.').waitFor();
    const same = (await notesOf(payment.id)).filter(({ text }) => text === 'Half of a thought');
    expect(same).toHaveLength(1);
    await page.reload();
    await note('Half of a thought').waitFor();
    expect(await box().inputValue()).toBe('');
  });

  it('stand beside a customer too; a viewer reads them and is told who may write', async () => {
    const { world } = test;
    const { id } = await aCustomer(world.database, world.client);
    await test.visit(member, `/customers/${id}`);
    await box().fill('Prefers to be called.');
    await test.button('Add note').click();
    await note('Prefers to be called.').waitFor();
    await test.visit(viewer, `/customers/${id}`);
    await note('Prefers to be called.').waitFor();
    await region()
      .getByText(/^Only owners, admins, .* may write notes\. Ask .*Olga Owner/)
      .waitFor();
    expect(await box().count()).toBe(0);
    expect(await note('Prefers to be called.').getByRole('button').count()).toBe(0);
    const given = { resourceType: 'customer', resourceId: id, text: 'Me too.' };
    expect((await apiNote(viewer, 'POST', given)).status).toBe(403);
  });
});
