// The page of mails, in a browser against the real service.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aServer } from '../../service/test/server.ts';
import { homeTest } from '../test/home-fixture.ts';

const test = homeTest();

describe('mails', () => {
  it('a link for a new password is read and opened here, by nobody in particular', async () => {
    const ada = await test.person();
    const page = await test.open();
    await page.goto('/account/forgotten');
    await test.call('POST', '/v1/account/password-reset', { body: { email: ada.email } });
    await page.goto('/account/mails');
    const mail = page.locator('.row', { hasText: ada.email });
    await mail.getByRole('button').click();
    expect(await mail.getByRole('button').getAttribute('aria-expanded')).toBe('true');
    await mail.getByRole('link').click();
    await page.waitForURL('**/account/reset');
  });

  it('404 route_not_found: where an SMTP server is set there are none to see', async () => {
    const mail = { send: async () => ({ kind: 'sent' as const }) };
    const mailing = await aServer(
      { ...test.ports, mail },
      { pagesDir: join(import.meta.dirname, '../dist') },
    );
    try {
      const port = await mailing.listen('localhost', 0);
      const page = await test.open();
      await page.goto(`http://localhost:${port}/account/mails`);
      await page.getByText('There are no mails to see here').waitFor();
    } finally {
      await mailing.close();
    }
  });

  it('are asked for once by a page that tells of them, and by none of a live service', async () => {
    const ada = await test.person();
    const page = await test.openAs(ada);
    let asked = 0;
    page.on('request', (request) => {
      asked += request.url().endsWith('/v1/sandbox/mails') ? 1 : 0;
    });
    const shop = await test.merchantOf('Mugs', [[ada, 'owner']]);
    const members = async () => {
      await page.goto(`/dashboard/${shop.id}/settings/members`);
      await test.block('Invitations').getByText('Nobody is invited').waitFor();
      await page.waitForLoadState('networkidle');
    };
    await members();
    await page.getByText('This sandbox has no mail server').waitFor();
    expect(asked).toBe(1);
    await page.route('**/readyz', (route) => route.fulfill({ json: { mode: 'live' } }));
    await members();
    expect(asked).toBe(1);
  });
});
