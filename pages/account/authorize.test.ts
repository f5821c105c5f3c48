// An application asks for access, by a real OAuth client library, and a person decides in a real
// browser. Contract §6.

import { describe, expect, it } from 'vitest';
import { sql } from '../../service/src/storage/database/sql.ts';
import { accountTest, password } from '../test/account-fixture.ts';
import { applicationTest } from '../test/application-fixture.ts';

const test = accountTest();
const application = applicationTest(test);

const grantsOf = sql<{ client_id: string }>(
  'test_grants_of',
  'select client_id from oauth_grants where user_id = $1',
);

describe('an application that asks for access', () => {
  it('gets what was ticked, at the merchant that was chosen, and no more', async () => {
    const { ada, other, id } = await application.setUpAda();
    const asked = await application.ask(id, ['payments:read', 'customers:read', 'refunds:write']);
    await test.open();
    await test.page.goto(asked.url);
    await test.heading('Sign in').waitFor();
    expect(new URL(test.page.url()).pathname).toMatch(/^\/account\/authorize\/[\w-]+$/);
    expect(await test.page.locator('.panel').textContent()).toContain('Ledger Sync');
    await test.look('consent-sign-in');
    await test.signIn(ada);
    await application.consent();
    const said = await test.page.locator('.panel').textContent();
    for (const fact of [
      'Ledger Sync',
      new URL(application.redirectUri).host,
      'ledger.example',
      'Moves money',
    ]) {
      expect(said).toContain(fact);
    }
    await test.look('consent');
    await application.allow();
    expect(await test.alert().textContent()).toBe('Choose the merchant first.');
    await test.look('consent-not-chosen');
    await test.page.getByLabel(/Copper Kettle/).check();
    const ticks = [/See payments/, /See customers/, /Give money back/].map((name) =>
      test.page.getByRole('checkbox', { name }),
    );
    for (const tick of ticks) await tick.uncheck();
    await test.button('Allow').click();
    expect(await test.alert().textContent()).toBe('Tick at least one, or refuse.');
    await test.look('consent-nothing');
    await ticks[0]?.check();
    await ticks[2]?.check();
    await test.button('Allow').click();
    await application.back();
    const tokens = await asked.receive();
    expect(new Set(tokens.scope?.split(' '))).toEqual(new Set(['payments:read', 'refunds:write']));
    expect((await application.read('payments', tokens)).status).toBe(200);
    const refused = await application.read('customers', tokens);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
      403,
      'insufficient_scope',
    ]);
    const grants = await test.db.database.read(grantsOf, [ada.id]);
    expect(grants).toEqual([{ client_id: other.id }]);
  });

  it('is allowed by nothing but the button: not by being signed in, nor by an earlier consent or a click that comes with the page', async () => {
    const { ada, id } = await application.setUpAda();
    await test.openAs(ada);
    const first = await application.ask(id, ['payments:read']);
    await test.page.goto(first.url);
    await application.consent();
    await test.page.getByLabel(/Tin & Twine/).check();
    await application.allow();
    await application.back();
    await first.receive();
    const second = await application.ask(id, ['payments:read']);
    await test.page.goto(second.url);
    await application.consent();
    await test.page.getByLabel(/Tin & Twine/).check();
    // The window gets the focus, as when another window in front of it is closed.
    await test.page.evaluate(() => dispatchEvent(new Event('focus')));
    const answers: string[] = [];
    test.page.on('request', (call) => void (call.method() === 'POST' && answers.push(call.url())));
    await test.button('Allow').dispatchEvent('click');
    await test.page.locator('.pay[aria-disabled=false]').waitFor();
    expect(answers).toEqual([]);
    await application.allow();
    await application.back();
    await second.receive();
  });

  it('of a stranger’s own description: says that its name is its own word; and where there is no merchant to choose', async () => {
    const one = await test.person({ name: 'Oscar One' });
    await test.join(one, await test.merchant('Sole Trader'), 'admin');
    const none = await test.person({ name: 'Nora None' });
    const id = 'https://agent.example/client.json';
    test.documents.set(id, {
      client_id: id,
      // One word, wider than the page: it wraps.
      client_name: `Your Bank ${'Security'.repeat(11)}`,
      redirect_uris: [application.redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    const asked = await application.ask(id, ['payments:read']);
    await test.openAs(one);
    await test.page.goto(asked.url);
    await application.consent();
    const warned = await test.page.getByText('is not verified').textContent();
    expect(warned).toContain('agent.example');
    expect(await test.page.getByLabel(/Sole Trader/).isChecked()).toBe(true);
    await test.look('consent-self-named');
    await test.openAs(none);
    await test.page.goto(asked.url);
    await test.page.getByText('No merchant of yours').waitFor();
    await test.look('consent-none');
    expect(await test.button('Allow').count()).toBe(0);
    await test.button('Refuse').click();
    await application.back();
  });

  it('asks for a proof when the last one is old, and goes on with it', async () => {
    const { ada, id } = await application.setUpAda();
    await test.openAs(ada);
    await test.ageProofs();
    const asked = await application.ask(id, ['payments:read']);
    await test.page.goto(asked.url);
    await application.consent();
    await test.page.getByLabel(/Tin & Twine/).check();
    await application.allow();
    const dialog = test.page.getByRole('dialog', { name: 'Is it you?' });
    await dialog.getByLabel('Password').waitFor();
    await test.look('confirm');
    await dialog.getByLabel('Password').fill('not the password');
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.getByRole('alert').waitFor();
    await test.look('confirm-wrong');
    await test.page.keyboard.press('Escape');
    // Nothing was granted, and the page shows the refusal.
    await test.alert().waitFor();
    expect(await test.alert().textContent()).toContain('Confirm that it is you');
    await test.look('confirm-not');
    await test.button('Allow').click();
    await dialog.getByLabel('Password').fill(password);
    await test.page.keyboard.press('Enter');
    await application.back();
    expect((await asked.receive()).access_token).toBeTruthy();
  });

  it('that wants to know who sits there now: asks the person who is signed in once more', async () => {
    const { ada, id } = await application.setUpAda();
    await test.openAs(ada);
    const asked = await application.ask(id, ['payments:read'], { prompt: 'login' });
    await test.ageProofs();
    await test.page.goto(asked.url);
    await test.heading('Is it you?').waitFor();
    await test.look('consent-again');
    await test.page.getByLabel('Password').fill(password);
    await test.button('Sign in').click();
    await application.consent();
  });

  it('needs nothing but the keyboard, from signing in to consent', async () => {
    const { ada, id } = await application.setUpAda();
    const asked = await application.ask(id, ['payments:read']);
    await test.open();
    await test.page.goto(asked.url);
    await test.heading('Sign in').waitFor();
    const { keyboard } = test.page;
    await keyboard.type(ada.email);
    await keyboard.press('Tab');
    await keyboard.type(password);
    await keyboard.press('Enter');
    await application.consent();
    await test.page.locator('.pay[aria-disabled=false]').waitFor();
    await keyboard.press('Tab');
    await keyboard.press('Space');
    const chosen = await test.page.locator('input[type=radio]:checked').count();
    expect(chosen).toBe(1);
    for (let step = 0; step < 20; step += 1) {
      if (await test.button('Allow').evaluate((node) => node === document.activeElement)) break;
      await keyboard.press('Tab');
    }
    await keyboard.press('Enter');
    await application.back();
    expect((await asked.receive()).access_token).toBeTruthy();
  });

  it('that we cannot send anybody back to: a page that looks like the others, in the dark too', async () => {
    await test.open({ dark: true });
    await test.page.goto('/oauth/authorize?client_id=x&response_type=code');
    await test.page.getByText('invalid_client').waitFor();
    const seen = await test.page.evaluate(() => {
      const { backgroundColor, margin } = getComputedStyle(document.body);
      return { backgroundColor, margin };
    });
    expect(seen).toEqual({ backgroundColor: 'rgb(16, 22, 29)', margin: '0px' });
  });

  it('is told access_denied by a refusal; 404 authorization_not_found: a request that is over, or of another browser', async () => {
    const { ada, id } = await application.setUpAda();
    const asked = await application.ask(id, ['payments:read']);
    await test.openAs(ada);
    await test.page.goto(asked.url);
    await application.consent();
    const address = test.page.url();
    await test.button('Refuse').click();
    await application.back();
    await expect(asked.receive()).rejects.toMatchObject({ error: 'access_denied' });
    await test.page.goto(address);
    await test.heading('There is nothing to decide here').waitFor();
    await test.look('consent-over');
    await test.page.goto(asked.url);
    await application.consent();
    const open = test.page.url();
    await test.openAs(ada);
    await test.page.goto(open);
    await test.heading('There is nothing to decide here').waitFor();
  });
});
