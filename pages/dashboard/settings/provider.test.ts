// What an owner sees of the account at the provider, and the way to real money, in a browser against the real service.

import { beforeAll, describe, expect, it } from 'vitest';
import { changeGateway } from '../../../service/src/engine/runs/operator/gateways.ts';
import { sql } from '../../../service/src/storage/database/sql.ts';
import { moveClock, newId } from '../../../service/test/harness.ts';
import { deliverNotice, signNotice } from '../../../service/test/payments/notices.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;
let viewer: TestPerson;
beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  viewer = await test.colleague('Vic Viewer', 'viewer');
});

const refuseKey = sql('t_provider_refuse', 'update gateways set key_refused_at = svc_clock()');
const acceptKey = sql('t_provider_accept', 'update gateways set key_refused_at = null');
const notice = () => ({
  ...{ object: 'event', id: `evt_${newId()}`, type: 'payment_intent.succeeded', livemode: false },
  created: Math.floor(Date.now() / 1000),
  data: { object: { object: 'payment_intent', id: 'pi_nobody' } },
});
const account = () =>
  test.page.getByRole('region', { name: `Account ${test.world.account.accountId}` });
const fact = (name: string) =>
  account().getByRole('term').filter({ hasText: name }).locator('+ dd');
const step = (name: string) =>
  test.page.getByRole('list', { name: 'Steps' }).getByRole('listitem').filter({ hasText: name });

describe('card provider', () => {
  it('account, mode, keys and notices follow what happens, for every role', async () => {
    const page = await test.visit(viewer, '/settings/provider');
    await fact('Mode').getByText('no real money').waitFor();
    await fact('Keys').getByText('Not used yet').waitFor();
    await fact('Notices').getByText('None yet').waitFor();
    await test.payment();
    await deliverNotice(test.world, notice());
    await page.reload();
    await fact('Keys').getByText('Accepted').waitFor();
    expect(await fact('Notices').textContent()).toMatch(/^Arriving the last one \d+ \w+ \d{4}, /);
    await test.look('provider');
    const forged = notice();
    const signature = signNotice(JSON.stringify(forged), 'whsec_other');
    await deliverNotice(test.world, forged, { signature });
    await page.reload();
    await fact('Notices').getByText('1 notice refused').waitFor();
    await deliverNotice(test.world, notice());
  });

  it('a refused key is the first thing that Home asks for, and leads here', async () => {
    await test.payment({ captureMethod: 'manual' });
    await test.world.database.write(refuseKey, []);
    const page = await test.visit(owner);
    const needs = page.getByRole('list', { name: 'Needs you' }).getByRole('link');
    await needs.first().waitFor();
    expect(await needs.first().textContent()).toMatch(
      /^The card provider refuses the key of acct_/,
    );
    await needs.first().click();
    await fact('Keys').getByText('Refused').waitFor();
    await fact('Keys').getByText('Payments fail.').waitFor();
    await test.world.database.write(acceptKey, []);
    await page.reload();
    await fact('Keys').getByText('Accepted').waitFor();
  });
});

describe('a check of the keys', () => {
  const press = async () => {
    await moveClock(test.world.database, 11_000);
    await account().getByRole('button', { name: 'Check the keys now' }).click();
  };
  const verdict = () => account().getByRole('status');

  it('tells in words what works, marks a key that is refused, and clears the mark', async () => {
    const page = await test.visit(owner, '/settings/provider');
    await press();
    await verdict().getByText('The provider accepts the keys and gives all 16 rights').waitFor();
    await fact('Last checked').getByRole('time').waitFor();
    await changeGateway(
      { id: test.world.gatewayId, keys: { secretKey: 'sk_test_revoked' } },
      test.world.ports,
    );
    await press();
    await verdict().getByText('The provider does not accept the keys').waitFor();
    await verdict().getByText('the provider refuses the secret key').waitFor();
    await fact('Keys').getByText('Refused').waitFor();
    await test.look('provider-check');
    await page.goto(test.at());
    const first = page.getByRole('list', { name: 'Needs you' }).getByRole('link').first();
    await first.getByText('The card provider refuses the key of').waitFor();
    const { secretKey } = test.world.account;
    await changeGateway({ id: test.world.gatewayId, keys: { secretKey } }, test.world.ports);
    await test.world.database.write(refuseKey, []);
    await page.goto(test.at('/settings/provider'));
    await press();
    await fact('Keys').getByText('Accepted').waitFor();
  });

  it('is for owners and admins', async () => {
    await test.visit(viewer, '/settings/provider');
    await fact('Keys').waitFor();
    expect(await account().getByRole('button', { name: /Check/ }).count()).toBe(0);
  });
});

describe('go live', () => {
  it('each step has its state as the service reads it, and a way to where it is done', async () => {
    const page = await test.visit(owner, '/settings/go-live');
    await step('The provider accepts the keys').getByText('Done').waitFor();
    await step('A first purchase').getByText('Done').waitFor();
    await step('A first refund').getByText('To do').waitFor();
    await step('Your server hears of payments').getByText('Not needed by everybody').waitFor();
    const people = await step('Two steps to sign in').textContent();
    expect(people).toContain(owner.email);
    expect(people).not.toContain(viewer.email);
    await page
      .getByRole('status')
      .filter({ hasText: /\d+ steps are left\./ })
      .waitFor();
    await test.look('go-live');
    const business = step('Who buyers buy from');
    expect(await business.textContent()).toContain('Still missing: business name, address,');
    await business.getByRole('link', { name: 'Business' }).click();
    for (const [name, text] of [
      ...[
        ['Business name', 'Beans'],
        ['Address', '1 Bean Street\nBeantown'],
      ],
      ...[
        ['Email for questions', 'help@beans.example'],
        ['Terms', 'https://beans.example/terms'],
      ],
    ] as [string, string][]) {
      await page.getByRole('textbox', { name }).fill(text);
    }
    await test.button('Save').click();
    await page.getByText('Saved. Buyers see it from now on.').waitFor();
    await page.getByRole('link', { name: 'Go live' }).click();
    await step('Who buyers buy from').getByText('Done').waitFor();
    await test.world.database.write(refuseKey, []);
    await page.reload();
    await step('The provider accepts the keys').getByText('Does not work').waitFor();
    await test.world.database.write(acceptKey, []);
  });

  it('is shown to owners and admins alone', async () => {
    const page = await test.visit(viewer, '/settings/go-live');
    await page.getByText('Only owners and admins see this').waitFor();
    expect(await page.getByRole('link', { name: 'Go live' }).count()).toBe(0);
  });
});
