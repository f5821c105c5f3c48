// The dashboard when the service is stopped, when the browser says that it is offline, and when a file
// does not come.

import { beforeAll, describe, expect, it } from 'vitest';
import type { TestPerson } from '../test/account-fixture.ts';
import { dashboardTest } from '../test/dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;

beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  await test.payment();
  await test.payment({ quantity: 2 });
});

const table = () => test.page.getByRole('table', { name: 'Payments' });
const links = () => table().getByRole('link');
const sortByAmount = () => table().getByRole('button', { name: 'Amount' }).click();

describe('dashboard, a list', () => {
  it('keeps its rows while the service is stopped, and reads again once it is there', async () => {
    await test.visit(owner, '/payments');
    await table().waitFor();
    const shown = await links().allTextContents();
    // Sums that were still on their way would be a second alert.
    await test.page.getByRole('region', { name: 'Sums of this list' }).waitFor();
    await test.stopService();
    await sortByAmount();
    await test.alert().getByText('did not answer').waitFor();
    expect(await links().allTextContents()).toEqual(shown);
    await test.startAgain();
    await test.button('Try again').click();
    await test.alert().waitFor({ state: 'detached' });
    await links().first().getByText('€39.80').waitFor();
  });

  it('is read on though the browser says that it is offline', async () => {
    const page = await test.visit(owner, '/payments');
    await table().waitFor();
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'onLine', { get: () => false });
      dispatchEvent(new Event('offline'));
    });
    await page.goto(`${test.at('/payments')}?status=failed`);
    await page.evaluate(() => dispatchEvent(new Event('offline')));
    await test.button('Clear it').click();
    await table().waitFor();
    expect(await links().count()).toBe(2);
    expect(await test.alert().count()).toBe(0);
  });
});

describe('dashboard, a file', () => {
  const dialog = () => test.dialog('Export');
  const makeFile = async () => {
    await test.button('Export').click();
    await dialog().getByRole('button', { name: 'Make the file' }).click();
  };

  it('asks who is there where nobody is signed in any more, and comes back to the list', async () => {
    const page = await test.visit(owner, '/payments?type=purchase');
    await table().waitFor();
    await test.call('POST', '/v1/account/sign-out', { body: {} });
    await makeFile();
    await page.waitForURL(/\/account\/sign-in/);
    await test.signIn(owner);
    await page.waitForURL((url) => url.pathname === test.at('/payments'));
    expect(new URL(page.url()).search).toBe('?type=purchase');
    const [saved] = await Promise.all([page.waitForEvent('download'), makeFile()]);
    expect(saved.suggestedFilename()).toContain('2-rows.csv');
  });

  it('is given up when nothing of it has come for a minute, and can be made again', async () => {
    const page = await test.visit(owner, '/payments');
    await table().waitFor();
    await page.clock.install();
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
    // The request is left without an answer.
    await page.route('**/v1/payments.csv?*', () => isAsked());
    await makeFile();
    await asked;
    expect(await dialog().getByRole('button', { name: 'Make the file' }).isDisabled()).toBe(true);
    await page.clock.fastForward(59_000);
    expect(await dialog().getByRole('progressbar', { name: 'Export' }).count()).toBe(1);
    await page.clock.fastForward(2_000);
    await test.alert().getByText('Nothing was exported').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      dialog().getByRole('button', { name: 'Make the file' }).click(),
    ]);
    expect(saved.suggestedFilename()).toContain('2-rows.csv');
  });
});
