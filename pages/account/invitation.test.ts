// Joining a merchant by a mailed link, in a real browser against the service as it is.

import { describe, expect, it } from 'vitest';
import { accountTest, password, type TestPerson } from '../test/account-fixture.ts';

const test = accountTest();

type Invited = { readonly owner: TestPerson; readonly clientId: string; readonly link: string };

/** An invitation that an owner has sent to the address. */
async function invite(email: string, merchantName: string, role = 'admin'): Promise<Invited> {
  const owner = await test.person({ name: 'Olga Owner' });
  const merchant = await test.merchant(merchantName);
  await test.join(owner, merchant);
  const { status } = await test.callAs(owner, {
    method: 'POST',
    path: '/v1/invitations',
    body: { email, role },
    clientId: merchant.id,
  });
  expect(status).toBe(201);
  const { link } = await test.mail({ email });
  expect(link).toContain(`${test.baseUrl}/account/invitation#`);
  return { owner, clientId: merchant.id, link };
}

const open = async (link: string) => {
  await test.open();
  await test.page.goto(link);
};
const memberships = async () => {
  const { body } = await test.call<{ data: { clientId: string; role: string }[] }>(
    'GET',
    '/v1/account/memberships',
  );
  return body.data.map(({ clientId, role }) => [clientId, role]);
};
const waitForDashboard = (clientId: string) =>
  test.page.waitForURL((url) => url.pathname === `/dashboard/${clientId}`);

describe('an invitation', () => {
  it('of somebody new: says who invites to what, and opens an account with name and password', async () => {
    const email = 'grace.new@example.test';
    const { owner, clientId, link } = await invite(email, 'Tin & Twine');
    await open(link);
    await test.heading('Join Tin & Twine').waitFor();
    expect(test.page.url()).toBe(`${test.baseUrl}/account/invitation`);
    const said = await test.page.locator('.panel').textContent();
    for (const fact of [owner.email, email, 'Tin & Twine', 'with the role Admin'])
      expect(said).toContain(fact);
    await test.look('invitation-new');
    await test.page.getByLabel('Your name').fill('Grace Hopper');
    await test.page.getByLabel('New password').fill('passwordpassword');
    await test.button('Join Tin & Twine').click();
    await test.alert().waitFor();
    await test.page.getByLabel('New password').fill('basalt lanterns over seven');
    await test.button('Join Tin & Twine').click();
    await waitForDashboard(clientId);
    expect(await memberships()).toEqual([[clientId, 'admin']]);
    const { body } = await test.call<{ email: string; name: string }>('GET', '/v1/account');
    expect([body.email, body.name]).toEqual([email, 'Grace Hopper']);
  });

  it('of somebody with an account: signs in with that address and joins', async () => {
    const ada = await test.person();
    const { clientId, link } = await invite(ada.email, 'Copper Kettle', 'member');
    await open(link);
    await test.button('I have an account already').click();
    await test.heading('Sign in to join Copper Kettle').waitFor();
    await test.look('invitation-known');
    await test.page.getByLabel('Password').fill(password);
    await test.button('Sign in').click();
    await test.page.getByText(`You are signed in as ${ada.email}.`).waitFor();
    await test.look('invitation-join');
    expect(await memberships()).toEqual([]);
    await test.button('Join Copper Kettle').click();
    await waitForDashboard(clientId);
    expect(await memberships()).toEqual([[clientId, 'member']]);
  });

  it('of somebody with an account who says to be new: 409 account_exists, and the way to sign in', async () => {
    const ada = await test.person();
    const { link } = await invite(ada.email, 'Copper Kettle');
    await open(link);
    await test.page.getByLabel('Your name').fill('Ada');
    await test.page.getByLabel('New password').fill('basalt lanterns over seven');
    await test.button('Join Copper Kettle').click();
    await test.heading('Sign in to join Copper Kettle').waitFor();
    expect(await test.alert().textContent()).toContain('already has a password');
    await test.look('invitation-exists');
  });

  it('for another address than the one that is signed in: says both, and joins nobody else', async () => {
    const ada = await test.person();
    const eve = await test.person({ name: 'Eve Else' });
    const { link } = await invite(ada.email, 'Copper Kettle');
    await test.openAs(eve);
    await test.page.goto(link);
    await test.heading('Sign in to join Copper Kettle').waitFor();
    const said = await test.page.locator('.panel').textContent();
    expect([said?.includes(ada.email), said?.includes(eve.email)]).toEqual([true, true]);
    await test.look('invitation-other');
    expect(await memberships()).toEqual([]);
  });

  it('used before, or without its secret: says what to do', async () => {
    const ada = await test.person();
    const { clientId, link } = await invite(ada.email, 'Copper Kettle');
    await test.openAs(ada);
    await test.page.goto(link);
    await test.button('Join Copper Kettle').click();
    await waitForDashboard(clientId);
    await test.page.goto(link);
    await test.heading('This invitation no longer works').waitFor();
    await test.look('invitation-dead');
    await test.page.goto('/account');
    await test.page.goto('/account/invitation');
    await test.heading('This invitation no longer works').waitFor();
  });
});
