// Signing in as people meet it, in a real browser against the service as it is.

import { describe, expect, it } from 'vitest';
import { accountTest, codeOf } from '../test/account-fixture.ts';
import { addPasskey, withAuthenticator, withDevice } from '../test/sign-in-proofs.ts';

const test = accountTest();

const signOut = () => test.call('POST', '/v1/account/sign-out', { body: {} });
const isSignedIn = async () => (await test.call('GET', '/v1/account')).status === 200;
const visit = async (path = '/account/sign-in') => {
  await test.open();
  await test.page.goto(path);
};
const cookieOf = async () =>
  (await test.context.cookies()).find(({ name }) => name === 'svc_sign_in');

describe('signing in with a password', () => {
  it('who comes by another name of this machine goes on at the address where it can work', async () => {
    await test.open();
    await test.page.goto(
      `${test.baseUrl.replace('localhost', '127.0.0.1')}/account/sign-in?next=%2Faccount#kept`,
    );
    await test.page.waitForURL(`${test.baseUrl}/account/sign-in?next=%2Faccount#kept`);
    await test.heading('Sign in').waitFor();
  });

  it('goes on to where the visitor was kept out, signed in by a cookie that no script reads', async () => {
    const ada = await test.person();
    await visit('/account?from=bookmark');
    await test.page.waitForURL('**/account/sign-in?next=**');
    await test.heading('Sign in').waitFor();
    await test.look('sign-in');
    await test.signIn(ada);
    await test.page.waitForURL('**/account?from=bookmark');
    expect(await isSignedIn()).toBe(true);
    expect(await cookieOf()).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
    expect(await test.page.evaluate(() => document.cookie)).toBe('');
  });

  it('401 sign_in_failed: says so at once to everybody, and keeps all', async () => {
    const ada = await test.person();
    await visit();
    await test.signIn(ada, 'not the password');
    await test.alert().waitFor();
    expect(await test.alert().textContent()).toContain('The address or the password is wrong.');
    expect(await test.page.getByLabel('Email address').inputValue()).toBe(ada.email);
    expect(await test.alert().evaluate((box) => box === document.activeElement)).toBe(true);
    await test.look('sign-in-wrong');
    expect(await isSignedIn()).toBe(false);
  });

  it('says who is signed in already, and lets somebody else sign in', async () => {
    const ada = await test.person();
    await test.visitAs(ada);
    await test.page.goto('/account/sign-in');
    await test.heading('You are signed in').waitFor();
    await test.page.getByText(ada.email).waitFor();
    await test.look('signed-in');
    await test.button('Sign in as somebody else').click();
    await test.heading('Sign in').waitFor();
    expect(await isSignedIn()).toBe(false);
  });
});

describe('the second factor', () => {
  it('is asked after the password, and nobody is signed in before it; a recovery code serves too', async () => {
    const person = await test.person();
    await test.visitAs(person);
    const { secret, recoveryCodes } = await withAuthenticator(test);
    const begin = async () => {
      await signOut();
      await test.page.goto('/account/sign-in');
      await test.signIn(person);
      await test.heading('One more step').waitFor();
      expect(await isSignedIn()).toBe(false);
    };
    const goOn = async (label: string, code: string) => {
      await test.page.getByLabel(label).fill(code);
      await test.button('Go on').click();
    };
    await begin();
    await test.look('second-factor');
    await goOn('Code', '000000');
    await test.alert().waitFor();
    expect(await test.alert().textContent()).toContain('The code is wrong');
    expect(await isSignedIn()).toBe(false);
    // Types the code as authenticator apps show it, in two groups.
    await goOn('Code', codeOf(secret, 1).replace(/(...)/, '$1 '));
    await test.page.waitForURL((url) => url.pathname === '/account');
    expect(await isSignedIn()).toBe(true);
    await begin();
    await test.button('Use a recovery code instead').click();
    await test.look('recovery-code');
    await goOn('Recovery code', recoveryCodes[0] ?? '');
    await test.page.waitForURL((url) => url.pathname === '/account');
    expect(await isSignedIn()).toBe(true);
  });
});

describe('signing in with a passkey', () => {
  const prepare = async () => {
    const ada = await test.person();
    await test.visitAs(ada);
    await withDevice(test);
    await addPasskey(test);
    await signOut();
    expect(await isSignedIn()).toBe(false);
    return ada;
  };
  const readSignedIn = async () =>
    (await test.call<{ email: string }>('GET', '/v1/account')).body.email;

  it('needs neither address nor password', async () => {
    const ada = await prepare();
    // A browser that has passkeys and suggests none by itself.
    await test.page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    await test.page.goto('/account/sign-in');
    await test.button('Sign in with a passkey').click();
    await test.page.waitForURL((url) => url.pathname === '/account');
    expect(await readSignedIn()).toBe(ada.email);
  });

  it('is suggested by the browser in the field of the address', async () => {
    const ada = await prepare();
    await test.page.goto('/account/sign-in');
    // The device accepts the suggestion, like a person who picks it from the list.
    await test.page.waitForURL((url) => url.pathname === '/account');
    expect(await readSignedIn()).toBe(ada.email);
  });

  it('says so where the device has none, and leaves the password', async () => {
    const ada = await test.person();
    await visit();
    await withDevice(test);
    await test.button('Sign in with a passkey').click();
    await test.alert().waitFor();
    expect(await test.alert().textContent()).toContain('No passkey was used');
    await test.look('passkey-none');
    await test.signIn(ada);
    await test.page.waitForURL((url) => url.pathname === '/account');
  });
});

describe('a forgotten password', () => {
  it('is chosen anew by the mailed link, which works once and leaves the address at once', async () => {
    const ada = await test.person();
    await visit();
    await test.page.getByRole('link', { name: 'Forgotten your password?' }).click();
    await test.heading('Forgotten your password?').waitFor();
    await test.look('forgotten');
    await test.page.getByLabel('Email address').fill(ada.email);
    await test.button('Mail me a link').click();
    await test.heading('Check your mail').waitFor();
    await test.look('forgotten-sent');
    const { link } = await test.mail(ada);
    expect(link).toContain(`${test.baseUrl}/account/reset#`);

    await test.page.goto(link);
    await test.heading('Choose a new password').waitFor();
    expect(test.page.url()).toBe(`${test.baseUrl}/account/reset`);
    await test.look('reset');
    await test.page.getByLabel('New password').fill('passwordpassword');
    await test.button('Set the password').click();
    await test.alert().waitFor();
    await test.look('reset-weak');
    const chosen = 'seven lanterns over basalt';
    await test.page.getByLabel('New password').fill(chosen);
    await test.button('Set the password').click();
    await test.heading('Your new password is set').waitFor();
    await test.look('reset-done');
    await test.page.getByRole('link', { name: 'Sign in' }).click();
    await test.signIn(ada, chosen);
    await test.page.waitForURL((url) => url.pathname === '/account/recent');
    await test.heading('Made in the last 30 days').waitFor();

    await test.page.goto(link);
    await test.page.getByLabel('New password').fill('another one altogether');
    await test.button('Set the password').click();
    await test.heading('This link no longer works').waitFor();
    await test.look('reset-dead');
    await test.button('Mail me a new link').click();
    await test.heading('Check your mail').waitFor();
    const { link: fresh } = await test.mail(ada);
    expect(fresh).toContain(`${test.baseUrl}/account/reset#`);
    expect(fresh).not.toBe(link);
  });

  it('opens a second link in the same tab', async () => {
    await visit('/account/reset#first');
    await test.heading('Choose a new password').waitFor();
    await test.page.evaluate(() => {
      location.hash = 'second';
    });
    await test.page.waitForLoadState();
    await test.heading('Choose a new password').waitFor();
    await test.page.waitForURL(`${test.baseUrl}/account/reset`);
  });

  it('a link without its secret says what to do', async () => {
    await visit('/account/reset');
    await test.heading('This link no longer works').waitFor();
    await test.page.getByRole('link', { name: 'Ask for a new link' }).click();
    await test.heading('Forgotten your password?').waitFor();
  });
});

describe('an address of no page', () => {
  it('says so, and leads home', async () => {
    await visit('/account/nothing/here');
    await test.heading('There is no such page').waitFor();
    await test.look('no-such-page');
  });
});
