// Every state of the account's pages as people meet it: nothing for axe to find, no
// sideways scrolling on the smallest phone, in both themes. With SVC_SHOTS=<folder> each is also kept
// as a picture, to be looked at.

import { beforeAll, describe, it } from 'vitest';
import { aToken } from '../../service/test/harness.ts';
import { aSignIn } from '../../service/test/people/people.ts';
import type { TestPerson } from '../test/account-fixture.ts';
import { homeTest, type Merchant } from '../test/home-fixture.ts';

const test = homeTest();
let ada: TestPerson;
let shop: Merchant;

beforeAll(async () => {
  ada = await test.person({ name: 'Ada Lovelace' });
  shop = await test.merchantOf('Analytical Engines and Difference Machines of London', [
    [ada, 'owner'],
  ]);
  await aSignIn(test.ports, ada);
});

async function expectShown(name: string, mark: string | RegExp): Promise<void> {
  await test.page.getByText(mark).first().waitFor();
  await test.look(name);
}

describe('account', () => {
  it('home, with nothing yet', async () => {
    await test.openAs(await test.person({ name: 'Nobody Yet' }));
    await test.page.goto('/account');
    await test.page.getByText('No application has access').waitFor();
    await test.page.getByText('No passkey yet').waitFor();
    await expectShown('home-empty', 'You belong to no merchant');
  });

  it('home with each form, the key of an authenticator among them', async () => {
    const page = await test.openAs(ada);
    await page.goto('/account');
    await test.button('Sign out everywhere else').waitFor();
    await test.button('Change name').click();
    await test.button('Change password').click();
    await test.button('Add a passkey').click();
    await test.button('Set up an authenticator').click();
    await expectShown('home-forms', 'Or type this key into the app');
  });

  it('what was made lately, and the question before all of it ends', async () => {
    const eve = await test.person();
    await test.join(eve, shop, 'member');
    await aToken(test.db.database, shop, { user: eve });
    await test.openAs(eve);
    await test.page.goto('/account/recent');
    await test.button('End all of it').click();
    await expectShown('recent', 'End everything created');
  });

  it('activity', async () => {
    await test.openAs(ada);
    await test.page.goto('/account/activity');
    await test
      .block('What happened in your account')
      .getByRole('button', { name: 'Sign-in: opened' })
      .first()
      .waitFor();
    await test.look('activity');
  });
});

describe('mails', () => {
  it('one that is open', async () => {
    const page = await test.openAs(ada);
    const body = { email: 'grace@navy.example', role: 'admin' };
    await page.goto('/account/mails');
    await page.getByText('No mail yet').waitFor();
    await test.call('POST', '/v1/invitations', { clientId: shop.id, body });
    await test.button('Look again').click();
    await page.locator('.opener').first().click();
    await page.locator('.mail-text a').waitFor();
    await test.look('mails');
  });
});
