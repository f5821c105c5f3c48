// The question whether it is really the person, before money or credentials change, with each proof that an
// account can have.

import { describe, expect, it } from 'vitest';
import { codeOf, password } from '../../test/account-fixture.ts';
import { homeTest } from '../../test/home-fixture.ts';
import { addPasskey, withAuthenticator, withDevice } from '../../test/sign-in-proofs.ts';

const test = homeTest();

const question = () => test.page.getByRole('dialog', { name: 'Is it you?' });

/** A person who signed in some time ago saves a new password. */
async function begin<T>(prepare: () => Promise<T>): Promise<T> {
  await test.openAs(await test.person());
  await test.page.goto('/account');
  await test.button('Change password').waitFor();
  const prepared = await prepare();
  await test.ageProofs();
  await test.page.reload();
  await test.button('Change password').click();
  await test.page.getByLabel('New password').fill('marble lantern forty two');
  await test.button('Save password').click();
  await question().getByLabel('Password').waitFor();
  return prepared;
}
const isSaved = () => test.news().getByText('Your password is saved').waitFor();

describe('the question who is there', () => {
  it('asks for the code too where there is an authenticator, or for a recovery code in its place', async () => {
    const { secret, recoveryCodes } = await begin(() => withAuthenticator(test));
    await question().getByLabel('Password').fill(password);
    const code = question().getByLabel('Code of your authenticator');
    const right = codeOf(secret, 1);
    await code.fill(right === '000000' ? '000001' : '000000');
    await question().getByRole('button', { name: 'Confirm' }).click();
    await question().getByRole('alert').waitFor();
    expect(await question().getByRole('alert').textContent()).toContain('The code is wrong');
    await test.look('confirm-code');
    await question().getByRole('button', { name: 'Use a recovery code instead' }).click();
    expect(await question().getByLabel('Password').inputValue()).toBe(password);
    await question()
      .getByLabel('Recovery code')
      .fill(recoveryCodes[0] ?? '');
    await question().getByRole('button', { name: 'Confirm' }).click();
    await isSaved();
  });

  it('takes a passkey instead of everything else', async () => {
    await begin(async () => {
      await withDevice(test);
      await addPasskey(test);
    });
    await test.look('confirm-passkey');
    await question().getByRole('button', { name: 'Confirm with a passkey' }).click();
    await isSaved();
  });
});
