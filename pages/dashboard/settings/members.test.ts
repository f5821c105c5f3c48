// Members and invitations of a merchant, in a browser against the real service.

import { describe, expect, it } from 'vitest';
import { aToken } from '../../../service/test/harness.ts';
import { password, type TestPerson } from '../../test/account-fixture.ts';
import { homeTest, type Merchant } from '../../test/home-fixture.ts';

const test = homeTest();
const visitMembers = (merchant: Merchant) =>
  test.page.goto(`/dashboard/${merchant.id}/settings/members`);

/** A merchant of an owner Ada and a member Ben. */
async function createOwnerAndMember(): Promise<{
  ada: TestPerson;
  ben: TestPerson;
  shop: Merchant;
}> {
  const ada = await test.person({ name: 'Ada' });
  const ben = await test.person({ name: 'Ben' });
  const shop = await test.merchantOf('Shop of two', [
    [ada, 'owner'],
    [ben, 'member'],
  ]);
  return { ada, ben, shop };
}

const roleIn = (name: string) => test.row('Members', name).locator('.tag').first();

async function changeRole(name: string, role: string): Promise<void> {
  await test.button(`Change role: ${name}`).click();
  await test.page.getByLabel('Role', { exact: true }).selectOption(role);
  await test.button('Save role').click();
}

describe('members', () => {
  it('a role is changed, and shown once it is', async () => {
    const { ada, shop } = await createOwnerAndMember();
    await test.openAs(ada);
    await visitMembers(shop);
    await changeRole('Ben', 'admin');
    await test.news().getByText('Ben is now: Admin.').waitFor();
    expect(await roleIn('Ben').textContent()).toBe('Admin');
  });

  it('409 last_owner: the only owner stays one, and the form says why', async () => {
    const { ada, shop } = await createOwnerAndMember();
    await test.openAs(ada);
    await visitMembers(shop);
    await changeRole('Ada', 'member');
    await test.alert().getByText('A merchant keeps at least one owner').waitFor();
    expect(await roleIn('Ada').textContent()).toBe('Owner');
    await test.button('Cancel').click();
    await test.button('Leave').click();
    await test.answer('Leave');
    await test.alert().getByText('A merchant keeps at least one owner').waitFor();
  });

  it('removing one names the API tokens that stop, and asks again', async () => {
    const { ada, ben, shop } = await createOwnerAndMember();
    const token = await aToken(test.db.database, shop, { user: ben });
    await test.openAs(ada);
    await visitMembers(shop);
    await test.button('Remove: Ben').click();
    await test.answer('Remove');
    const stops = test.page.getByRole('dialog', { name: 'Remove Ben and stop this token?' });
    await stops.getByRole('listitem').waitFor();
    await stops.getByRole('button', { name: 'Remove and stop this token' }).click();
    await test.news().getByText('Ben is no longer a member.').waitFor();
    expect(await test.row('Members', 'Ben').count()).toBe(0);
    const call = await fetch(`${test.baseUrl}/v1/payments`, {
      headers: { authorization: token.authorization },
    });
    expect(call.status).toBe(401);
  });

  it('kept: nothing happens when the question is closed', async () => {
    const { ada, shop } = await createOwnerAndMember();
    await test.openAs(ada);
    await visitMembers(shop);
    await test.button('Remove: Ben').click();
    await test.dialog().waitFor();
    await test.page.keyboard.press('Escape');
    await expect.poll(() => test.dialog().count()).toBe(0);
    const focused = test.page.locator(':focus');
    expect(await focused.getAttribute('aria-label')).toBe('Remove: Ben');
    expect(await test.row('Members', 'Ben').count()).toBe(1);
  });

  it('an admin is offered nothing of owners', async () => {
    const { shop } = await createOwnerAndMember();
    const eve = await test.person({ name: 'Eve' });
    await test.join(eve, shop, 'admin');
    await test.openAs(eve);
    await visitMembers(shop);
    await test.button('Change role: Ben').click();
    const roles = await test.page.getByLabel('Role', { exact: true }).locator('option').count();
    expect(roles).toBe(5);
    expect(await test.row('Members', 'Ada').getByRole('button').count()).toBe(0);
  });

  it('a member sees no people, and may leave', async () => {
    const { ben, shop } = await createOwnerAndMember();
    await test.openAs(ben);
    await visitMembers(shop);
    await test.block('Leave this merchant').waitFor();
    expect(await test.page.title()).toBe('[Sandbox] Your membership · Settings · Shop of two');
    expect(await test.block('Members').count()).toBe(0);
    const parts = test.page.getByRole('navigation', { name: 'Merchant' }).locator('ul ul a');
    expect(await parts.allTextContents()).toEqual([
      ...['Your membership', 'Card provider', 'Refund rule', 'Notifications', 'Sandbox'],
    ]);
    await test.page.getByRole('link', { name: 'Developers' }).click();
    await test.block('Your API tokens').or(test.block('API tokens')).waitFor();
    expect(await parts.allTextContents()).toEqual(['API tokens', 'Webhooks', 'Events', 'Tester']);
    await visitMembers(shop);
    await test.button('Leave').click();
    await test.answer('Leave');
    await test.page.getByRole('heading', { name: 'You belong to no merchant' }).waitFor();
    expect(new URL(test.page.url()).pathname).toBe('/account');
  });

  it('403 recent_sign_in_required: asks who is there, then makes the change', async () => {
    const { ada, shop } = await createOwnerAndMember();
    await test.openAs(ada, { minutesAgo: 20 });
    await visitMembers(shop);
    await changeRole('Ben', 'admin');
    await test.dialog().getByLabel('Password').fill(password);
    await test.answer('Confirm');
    await test.news().getByText('Ben is now: Admin.').waitFor();
  });

  it('another merchant is as good as none', async () => {
    const { ada } = await createOwnerAndMember();
    const { shop: foreign } = await createOwnerAndMember();
    await test.openAs(ada);
    await visitMembers(foreign);
    await test.page.getByText('You do not belong to this merchant').waitFor();
  });
});

describe('invitations', () => {
  it('one is made, made again and taken back; its mail stands on the page of mails', async () => {
    const { ada, shop } = await createOwnerAndMember();
    const email = `grace-${shop.id}@example.test`;
    const page = await test.openAs(ada);
    await visitMembers(shop);
    await test.button('Invite somebody').click();
    await page.getByLabel('Address').fill(email);
    await page.getByLabel('Role', { exact: true }).selectOption('admin');
    await test.button('Send invitation').click();
    await test
      .news()
      .getByText(`${email} is invited. The mail with the link waits below.`)
      .waitFor();
    await page.getByRole('link', { name: 'read the waiting mails' }).waitFor();
    await test.button(`Send a new link: ${email}`).click();
    await test.news().getByText('The old link is dead.').waitFor();
    expect(await test.row('Invitations', email).count()).toBe(1);

    await page.goto('/account/mails');
    const mails = page.locator('.row', { hasText: email });
    await mails.first().getByRole('button').click();
    const link = mails.first().getByRole('link');
    expect(await link.getAttribute('href')).toMatch(/\/account\/invitation#[\w-]{20,}$/);

    await visitMembers(shop);
    await test.button(`Take back: ${email}`).click();
    await test.news().getByText(`${email} is not invited any more.`).waitFor();
    await page.getByText('Nobody is invited').waitFor();
  });

  it('409 already_a_member: the form keeps what was typed', async () => {
    const { ada, ben, shop } = await createOwnerAndMember();
    const page = await test.openAs(ada);
    await visitMembers(shop);
    await test.button('Invite somebody').click();
    await page.getByLabel('Address').fill(ben.email);
    await test.button('Send invitation').click();
    await test.alert().getByText('This person is already a member.').waitFor();
    expect(await page.getByLabel('Address').inputValue()).toBe(ben.email);
  });
});
