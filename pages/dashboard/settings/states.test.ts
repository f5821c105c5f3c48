// Every state of Developers and Settings as people meet it: nothing for axe to find, no
// sideways scrolling on the smallest phone, in both themes. With SVC_SHOTS=<folder> each is also kept
// as a picture, to be looked at.

import { beforeAll, describe, expect, it } from 'vitest';
import { aToken } from '../../../service/test/harness.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { homeTest, type Merchant } from '../../test/home-fixture.ts';

const test = homeTest();
const longName = 'Benjamin with a name that goes on for a good while';
let ada: TestPerson;
let shop: Merchant;

beforeAll(async () => {
  ada = await test.person({ name: 'Ada Lovelace' });
  const ben = await test.person({ name: longName });
  shop = await test.merchantOf('Analytical Engines and Difference Machines of London', [
    [ada, 'owner'],
    [ben, 'member'],
  ]);
  await aToken(test.db.database, shop, { user: ben });
});

const visit = (section: string) => test.page.goto(`/dashboard/${shop.id}/${section}`);

async function expectShown(name: string, mark: string | RegExp): Promise<void> {
  await test.page.getByText(mark).first().waitFor();
  await test.look(name);
}

describe('a merchant’s part', () => {
  it('members with both forms', async () => {
    await test.openAs(ada);
    await visit('settings/members');
    await test.button('Invite somebody').click();
    await test.button(`Change role: ${longName}`).click();
    await expectShown('members', 'Leave this merchant');
  });

  it('the question about tokens that stop', async () => {
    await test.openAs(ada);
    await visit('settings/members');
    await test.button(`Remove: ${longName}`).click();
    await test.answer('Remove');
    await expectShown('members-tokens', 'This API token stops');
  });

  it('the refusal of the last owner', async () => {
    await test.openAs(ada);
    await visit('settings/members');
    await test.button('Leave').click();
    await test.answer('Leave');
    await expectShown('members-last-owner', 'A merchant keeps at least one owner');
  });

  it('business: the form, and a value that may not be', async () => {
    const page = await test.openAs(ada);
    await visit('settings/business');
    await page.getByLabel('Logo').fill('http://shop.example/logo.svg');
    await test.button('Save').click();
    await expectShown('business', 'Type a whole https address');
  });

  it('tokens: none, the form, the value', async () => {
    const page = await test.openAs(ada);
    await visit('developers/tokens');
    await expectShown('tokens-empty', 'No token yet');
    await test.button('Create a token').click();
    await page.getByLabel('Only what you choose').check();
    await expectShown('tokens-form', 'Give money back');
    await page.getByLabel('Name', { exact: true }).fill('Till');
    await page.getByLabel('payments:read').check();
    await test.button('Create token').click();
    await expectShown('tokens-value', 'The value of “Till”');
  });

  it('applications: none, the form, the secret', async () => {
    const page = await test.openAs(ada);
    await visit('developers/applications');
    await expectShown('applications-empty', 'No application yet');
    await test.button('Make an application').click();
    await expectShown('applications-form', 'Redirect addresses');
    await page.getByLabel('Name', { exact: true }).fill('Ledger');
    await page.getByLabel('payments:read').check();
    await test.button('Make application').click();
    await expectShown('applications-secret', 'The secret of “Ledger”');
  });

  it('audit log: entries, and none that match', async () => {
    await test.openAs(ada);
    await visit('settings/audit');
    await test.block('Audit log').getByRole('table', { name: 'Entries' }).waitFor();
    await test.look('audit');
    await visit('settings/audit?createdAt=..2020-01-01');
    await expectShown('audit-nothing', 'Nothing matches');
  });

  it('of somebody else', async () => {
    await test.openAs(await test.person());
    await visit('settings/members');
    await expectShown('merchant-foreign', 'You do not belong to this merchant');
  });
});

describe('by keyboard alone', () => {
  it('a token is made, and revoked', async () => {
    const page = await test.openAs(ada);
    await visit('developers/tokens');
    const pressKey = (key: string) => page.keyboard.press(key);
    await test.button('Create a token').focus();
    await pressKey('Enter');
    await expect.poll(() => page.locator(':focus').getAttribute('name')).toBe('name');
    await page.keyboard.type('Keyboard');
    await pressKey('Enter');
    await page.locator('.once').waitFor();
    expect(await page.locator('.once:focus').count()).toBe(1);
    await test.button('Revoke: Keyboard').focus();
    await pressKey('Enter');
    await test.dialog().waitFor();
    await pressKey('Tab');
    await pressKey('Enter');
    await test.news().getByText('The token “Keyboard” is revoked.').waitFor();
    expect(await page.locator('.news:focus').count()).toBe(1);
  });
});
