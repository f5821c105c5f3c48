// The question whether it is really the person, before access is granted, with each proof that an
// account can have.

import { describe, expect, it } from 'vitest';
import { accountTest, codeOf, password, type TestPerson } from '../../test/account-fixture.ts';
import { applicationTest } from '../../test/application-fixture.ts';
import { addPasskey, withAuthenticator, withDevice } from '../../test/sign-in-proofs.ts';

const test = accountTest();
const application = applicationTest(test);

const dialog = () => test.page.getByRole('dialog', { name: 'Is it you?' });

/** A person who signed in some time ago authorises an application. */
async function begin<T>(prepare: (ada: TestPerson) => Promise<T>) {
  const { ada, id } = await application.setUpAda();
  await test.visitAs(ada);
  const prepared = await prepare(ada);
  await test.ageProofs();
  const asked = await application.ask(id, ['payments:read']);
  await test.page.goto(asked.url);
  await application.consent();
  await test.page.getByLabel(/Tin & Twine/).check();
  await application.allow();
  await dialog().getByLabel('Password').waitFor();
  return { ada, asked, prepared };
}

describe('the question who is there', () => {
  it('asks for the code too where there is an authenticator', async () => {
    const { asked, prepared } = await begin(() => withAuthenticator(test));
    await dialog().getByLabel('Password').fill(password);
    await dialog().getByLabel('Code of your authenticator').fill('000000');
    await dialog().getByRole('button', { name: 'Confirm' }).click();
    await dialog().getByRole('alert').waitFor();
    expect(await dialog().getByRole('alert').textContent()).toContain('The code is wrong');
    await test.look('confirm-code');
    await dialog().getByLabel('Code of your authenticator').fill(codeOf(prepared.secret, 1));
    await dialog().getByRole('button', { name: 'Confirm' }).click();
    await application.back();
    expect((await asked.receive()).access_token).toBeTruthy();
  });

  it('takes a recovery code in the code’s place', async () => {
    const { prepared } = await begin(() => withAuthenticator(test));
    await dialog().getByLabel('Password').fill(password);
    await dialog().getByRole('button', { name: 'Use a recovery code instead' }).click();
    expect(await dialog().getByLabel('Password').inputValue()).toBe(password);
    await dialog()
      .getByLabel('Recovery code')
      .fill(prepared.recoveryCodes[0] ?? '');
    await dialog().getByRole('button', { name: 'Confirm' }).click();
    await application.back();
  });

  it('takes a passkey instead of everything else', async () => {
    await begin(async () => {
      await withDevice(test);
      await addPasskey(test);
    });
    await test.look('confirm-passkey');
    await dialog().getByRole('button', { name: 'Confirm with a passkey' }).click();
    await application.back();
  });

  it('gives nothing away where it is not answered', async () => {
    const { asked } = await begin(async () => {});
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    await test.alert().waitFor();
    expect(await test.alert().textContent()).toContain('Confirm that it is you');
    await test.look('confirm-not');
    await test.button('Refuse').click();
    await application.back();
    await expect(asked.receive()).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('leads to signing in where the sign-in has ended meanwhile', async () => {
    await begin(async () => {});
    await test.context.clearCookies({ name: 'svc_sign_in' });
    await dialog().getByLabel('Password').fill(password);
    await dialog().getByRole('button', { name: 'Confirm' }).click();
    await test.heading('Sign in').waitFor();
    expect(await dialog().count()).toBe(0);
  });
});
