// A person's own account, in a browser against the real service: name, password, authenticator,
// passkeys, sign-ins.

import { describe, expect, it } from 'vitest';
import { aToken } from '../../service/test/harness.ts';
import { aSignIn } from '../../service/test/people/people.ts';
import { codeOf, password } from '../test/account-fixture.ts';
import { homeTest } from '../test/home-fixture.ts';
import { withDevice } from '../test/sign-in-proofs.ts';

const test = homeTest();
const home = () => test.page.goto('/account');
const factor = 'Password and second factor';
const signIns = 'Where you are signed in';

describe('you', () => {
  it('the name is changed and shown; merchants stand with their roles', async () => {
    const ada = await test.person({ name: 'Ada' });
    const shop = await test.merchantOf('Engines', [[ada, 'admin']]);
    const page = await test.openAs(ada);
    await home();
    await test.button('Change name').click();
    await page.getByLabel('Name', { exact: true }).fill('Ada King');
    await test.button('Save name').click();
    await test.news().getByText('Your name is saved.').waitFor();
    await test.block('You').getByText('Ada King').waitFor();
    await test.row('Your merchants', 'Admin').getByRole('link', { name: 'Engines' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/${shop.id}`);
  });

  it('signing out leads to the page of signing in, and the cookie is dead', async () => {
    const page = await test.openAs(await test.person());
    await home();
    const [before] = await test.context.cookies();
    await test.button('Sign out').click();
    await page.waitForURL('**/account/sign-in');
    const headers = { cookie: `${before?.name}=${before?.value}` };
    const call = await fetch(`${test.baseUrl}/v1/account`, { headers });
    expect(call.status).toBe(401);
  });
});

describe('password', () => {
  const change = async (text: string) => {
    await test.button('Change password').click();
    await test.page.getByLabel('New password').fill(text);
    await test.button('Save password').click();
  };

  it('a new one is saved; other browsers are signed out, this one is not', async () => {
    const ada = await test.person();
    const other = await aSignIn(test.ports, ada);
    await test.openAs(ada);
    await home();
    await change('marble lantern forty two');
    await test.news().getByText('Your password is saved').waitFor();
    const call = await fetch(`${test.baseUrl}/v1/account`, { headers: { cookie: other.cookie } });
    expect(call.status).toBe(401);
    await test.page.reload();
    await test.block('You').getByText(ada.email).waitFor();
  });

  it('422 password_too_weak: says what is asked for', async () => {
    await test.openAs(await test.person());
    await home();
    await change('passwordpassword');
    await test.alert().getByText('Choose a password of 12 to 200 characters').waitFor();
  });

  it('403 recent_sign_in_required: closing the question changes nothing', async () => {
    await test.openAs(await test.person(), { minutesAgo: 16 });
    await home();
    await change('marble lantern forty two');
    await test.dialog().waitFor();
    await test.page.keyboard.press('Escape');
    await test.alert().getByText('Confirm that it is you').waitFor();
  });
});

describe('credentials made lately', () => {
  const sectionTitle = 'What can act as you';
  const isAccepted = async (authorization: string) =>
    (await fetch(`${test.baseUrl}/v1/client`, { headers: { authorization } })).status;

  it('each is ended by its button, all of it by one, and this browser stays', async () => {
    const ada = await test.person();
    const shop = await test.merchantOf('Engines', [[ada, 'owner']]);
    const [first, second] = [
      await aToken(test.db.database, shop, { user: ada }),
      await aToken(test.db.database, shop, { user: ada }),
    ];
    const other = await aSignIn(test.ports, ada);
    const page = await test.openAs(ada);
    await home();
    await page.getByRole('link', { name: 'Created in the last 30 days' }).click();
    const tokens = test.row(sectionTitle, 'API token');
    await tokens.first().waitFor();
    expect(await tokens.count()).toBe(2);
    await tokens
      .first()
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await test.news().getByText('ended').waitFor();
    expect(await tokens.count()).toBe(1);
    expect(
      [await isAccepted(first.authorization), await isAccepted(second.authorization)].sort(),
    ).toEqual([200, 401]);
    await test.button('End all of it').click();
    await test.answer('End all of it');
    await test.news().getByText('All of it ended.').waitFor();
    await test.block(sectionTitle).getByText('Nothing else was made').waitFor();
    expect([await isAccepted(first.authorization), await isAccepted(second.authorization)]).toEqual(
      [401, 401],
    );
    const call = await fetch(`${test.baseUrl}/v1/account`, { headers: { cookie: other.cookie } });
    expect(call.status).toBe(401);
    await page.reload();
    await test.row(sectionTitle, 'This browser').waitFor();
  });
});

describe('authenticator', () => {
  const key = async () =>
    (await test.block(factor).locator('.secret code').textContent())?.replaceAll(' ', '') ?? '';
  const enter = async (code: string) => {
    await test.page.getByLabel('Code', { exact: true }).fill(code);
    await test.button('Switch on').click();
  };

  it('set up with its QR code, ten recovery codes once, then switched off', async () => {
    const page = await test.openAs(await test.person());
    await home();
    await test.button('Set up an authenticator').click();
    await page.getByRole('img', { name: 'The key for your authenticator app' }).waitFor();
    await enter(codeOf(await key()));
    const codes = page.getByRole('region', { name: 'Recovery codes' }).getByRole('listitem');
    await codes.first().waitFor();
    expect(new Set(await codes.allTextContents()).size).toBe(10);
    const [first] = await codes.allTextContents();
    await test.button('I have put them away').click();
    await test.block(factor).getByText('10 recovery codes are left').waitFor();
    expect(await codes.count()).toBe(0);
    await test.button('New recovery codes').click();
    await test.answer('Make new codes');
    await codes.first().waitFor();
    expect(await codes.allTextContents()).not.toContain(first);
    await test.button('I have put them away').click();
    await test.button('Switch off').click();
    await test.answer('Switch off');
    await test.news().getByText('The authenticator is off.').waitFor();
    await test.button('Set up an authenticator').waitFor();
  });

  it('422 totp_code_invalid: a wrong code switches nothing on', async () => {
    await test.openAs(await test.person());
    await home();
    await test.button('Set up an authenticator').click();
    const right = codeOf(await key());
    await enter(right === '000000' ? '000001' : '000000');
    await test.alert().getByText('The code is wrong or was used before.').waitFor();
    await test.page.reload();
    await test.button('Set up an authenticator').waitFor();
  });
});

describe('passkeys', () => {
  it('one is added, named anew and removed', async () => {
    const page = await test.openAs(await test.person());
    await withDevice(test);
    await home();
    await test.button('Add a passkey').click();
    await page.getByLabel('Name', { exact: true }).fill('My phone');
    await test.button('Add passkey').click();
    await test.news().getByText('The passkey “My phone” is added.').waitFor();
    await test.button('Rename: My phone').click();
    await page.getByLabel('Name', { exact: true }).fill('My tablet');
    await test.button('Save name').click();
    await test.row('Passkeys', 'My tablet').waitFor();
    await test.button('Add a passkey').click();
    await page.getByLabel('Name', { exact: true }).fill('Again');
    await test.button('Add passkey').click();
    await test.alert().getByText('already has a passkey of your account').waitFor();
    await test.button('Cancel').click();
    await test.button('Remove: My tablet').click();
    await test.answer('Remove');
    await test.news().getByText('The passkey “My tablet” is removed.').waitFor();
    await page.getByText('No passkey yet').waitFor();
  });
});

describe('sign-ins', () => {
  it('this one is marked; another is ended, and all others', async () => {
    const ada = await test.person();
    const others = [await aSignIn(test.ports, ada), await aSignIn(test.ports, ada)];
    await test.openAs(ada);
    await home();
    await test.row(signIns, 'This browser').waitFor();
    const ends = test.block(signIns).getByRole('button', { name: /^Sign out:/ });
    expect(await ends.count()).toBe(2);
    await ends.first().click();
    await test.news().getByText('is signed out.').waitFor();
    expect(await ends.count()).toBe(1);
    await test.button('Sign out everywhere else').click();
    await test.news().getByText('All other browsers are signed out.').waitFor();
    expect(await ends.count()).toBe(0);
    for (const { cookie } of others) {
      const call = await fetch(`${test.baseUrl}/v1/account`, { headers: { cookie } });
      expect(call.status).toBe(401);
    }
  });

  it('401 sign_in_required in the middle: leads to signing in, and back', async () => {
    const ada = await test.person();
    const page = await test.openAs(ada);
    await home();
    await test.button('Change name').waitFor();
    await test.context.clearCookies();
    await test.button('Change name').click();
    await test.button('Save name').click();
    await page.waitForURL('**/account/sign-in');
    await test.signIn(ada, password);
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
  });
});
