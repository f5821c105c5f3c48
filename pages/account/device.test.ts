// A device without a browser asks for access by its code, by a real OAuth client library. RFC 8628.

import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { accountTest } from '../test/account-fixture.ts';
import { applicationTest } from '../test/application-fixture.ts';

const test = accountTest();
const application = applicationTest(test);

describe('a device that shows a code', () => {
  const begin = async (id: string) => {
    const config = await application.discover(id);
    const device = await oauth.initiateDeviceAuthorization(config, {
      scope: 'payments:read customers:read',
    });
    // A device waits for five seconds before it asks.
    const poll = () => oauth.pollDeviceAuthorizationGrant(config, { ...device, interval: 0.05 });
    return { device, poll };
  };

  it('gets access by its code, after the same consent', async () => {
    const { ada, id } = await application.setUpAda();
    const { device, poll } = await begin(id);
    await test.open();
    await test.page.goto(device.verification_uri);
    await test.heading('Connect a device').waitFor();
    await test.look('device');
    await test.page.getByLabel('Code').fill(device.user_code.toLowerCase());
    await test.button('Go on').click();
    await test.heading('Sign in').waitFor();
    await test.signIn(ada);
    await test.heading('Connect a device').waitFor();
    expect((await test.page.getByLabel('Code').inputValue()).toUpperCase()).toBe(device.user_code);
    await test.button('Go on').click();
    await application.consent();
    await test.look('device-consent');
    await test.page.getByLabel(/Copper Kettle/).check();
    await test.page.getByLabel(/See customers/).uncheck();
    await application.allow();
    await test.heading('Your device has access').waitFor();
    await test.look('device-done');
    const tokens = await poll();
    expect((await application.read('payments', tokens)).status).toBe(200);
    expect((await application.read('customers', tokens)).status).toBe(403);
  });

  it('gets nothing where its code comes by a link and nobody presses the button, or by refusal', async () => {
    const { ada, id } = await application.setUpAda();
    const { device, poll } = await begin(id);
    await test.openAs(ada);
    await test.page.goto(device.verification_uri_complete ?? '');
    await test.heading('Connect a device').waitFor();
    expect(await test.page.getByLabel('Code').inputValue()).toBe(device.user_code);
    await test.look('device-given');
    await test.button('Go on').click();
    await application.consent();
    await test.button('Refuse').click();
    await test.heading('Your device has no access').waitFor();
    await test.look('device-refused');
    await expect(poll()).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('404 authorization_not_found: a wrong code is said to be one', async () => {
    const { ada } = await application.setUpAda();
    await test.visitAs(ada, '/account/device');
    await test.page.getByLabel('Code').fill('WRNG-CODE');
    await test.button('Go on').click();
    await test.alert().waitFor();
    expect(await test.alert().textContent()).toContain('This code is wrong');
    await test.look('device-wrong');
  });
});
