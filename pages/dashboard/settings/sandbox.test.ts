// Settings, Sandbox: the clock, test cards, faults, disputes and failing refunds, in a browser against the
// real service and the real sandbox.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isFirefox } from '@svc/tools/firefox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ports } from '../../../service/src/engine/ports.ts';
import { expireHolds } from '../../../service/src/engine/runs/payments/expire-holds.ts';
import { setClock } from '../../../service/src/engine/steps/sandbox/set-clock.ts';
import type { TestDatabase } from '../../../service/test/harness.ts';
import { startWorld } from '../../../service/test/world.ts';
import { setUp, type TestPerson } from '../../test/account-fixture.ts';
import { DashboardTest } from '../../test/dashboard-fixture.ts';
import { clockSteps } from './sandbox-steps.ts';

/** A sandbox that tells its clock to the service, as `npm start` sets it up. */
class SandboxTest extends DashboardTest {
  listener!: Server;

  protected override async startParts(): Promise<{ db: TestDatabase; given: Partial<Ports> }> {
    this.listener = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { shiftMs } = JSON.parse(Buffer.concat(parts).toString()) as { shiftMs: number };
      response.end(JSON.stringify(await setClock(shiftMs, this.world)));
    });
    await new Promise<void>((resolve) => this.listener.listen(0, '127.0.0.1', resolve));
    const { port } = this.listener.address() as AddressInfo;
    const listener = { url: `http://127.0.0.1:${port}/`, secret: 'told' };
    this.world = await startWorld({ sandbox: { clockListeners: [listener] } });
    return { db: this.world, given: this.world.ports };
  }
}

const test = setUp(new SandboxTest());
let owner: TestPerson;
let member: TestPerson;

beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  member = await test.colleague('Mia Member', 'member');
});
afterAll(() => void test.listener?.close());

const block = (name: string) => test.page.getByRole('region', { name, exact: true });
const statusWithText = (text: string) => test.page.getByRole('status').filter({ hasText: text });

describe('the steps of the clock', () => {
  it.each([
    ['2026-11-27T12:00:00Z', '2026-12-27T12:00:00.000Z'],
    ['2026-12-31T12:00:00Z', '2027-01-31T12:00:00.000Z'],
    ['2027-01-31T12:00:00Z', '2027-02-28T12:00:00.000Z'],
    ['2028-01-30T12:00:00Z', '2028-02-29T12:00:00.000Z'],
  ])('a month after %s is %s', (from, until) => {
    const month = clockSteps.find(({ name }) => name === '1 month');
    const seconds = month?.secondsFrom(new Date(from)) ?? 0;
    expect(new Date(Date.parse(from) + seconds * 1000).toISOString()).toBe(until);
  });
});

describe('Settings, Sandbox', () => {
  it('plants a fault that the next payment meets, and removes it', async () => {
    const page = await test.visit(member, '/settings/sandbox');
    await block('Faults of the provider').getByText('No fault is planted').waitFor();
    await page.getByLabel('Fault', { exact: true }).selectOption({ value: 'decline' });
    await page.getByRole('button', { name: 'Plant the fault' }).click();
    await statusWithText('The fault is planted.').waitFor();
    const planted = page.getByRole('list', { name: 'Planted faults' });
    await planted.getByText('met 0 of 1').waitFor();
    expect((await test.payment()).status).toBe('failed');
    await page.reload();
    await planted.getByText('has met all of its calls').waitFor();
    await page.getByRole('button', { name: 'Remove all faults' }).click();
    await block('Faults of the provider').getByText('No fault is planted').waitFor();
  });

  it('lists the test cards with what each does, each to copy', async () => {
    const page = await test.visit(owner, '/settings/sandbox');
    const row = block('Test cards')
      .getByRole('listitem')
      .filter({ hasText: '4000 0000 0000 9995' });
    await row.getByText('declined: insufficient funds').waitFor();
    // Firefox asks nobody whether a press may copy, and has no such permission.
    if (!isFirefox(page)) await test.context.grantPermissions(['clipboard-write']);
    await page.getByRole('button', { name: 'Copy the card: declined: insufficient funds' }).click();
    await row.getByText('Copied').waitFor();
    const search = page.getByRole('combobox', { name: 'Search' });
    await search.focus();
    await page.keyboard.press('Control+v');
    await expect.poll(() => search.inputValue()).toBe('4000000000009995');
  });

  it('disputes a payment, and lets a refund fail, at the provider', async () => {
    const sold = await test.payment();
    const given = await test.payment();
    expect(await test.refundAs(owner, given, { amount: 1 })).toBe(201);
    const page = await test.visit(owner, '/settings/sandbox');
    await block('Dispute a payment').getByLabel('Payment').selectOption({ value: sold.id });
    await page.getByRole('button', { name: 'Open a dispute' }).click();
    await statusWithText('The bank disputes it.').waitFor();
    await page.getByRole('button', { name: 'Open a dispute' }).click();
    await block('Dispute a payment').getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Let it fail' }).click();
    await statusWithText('The bank sends it back.').waitFor();
    const kinds = (await test.world.ledger()).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['dispute_withdrawn', 'refund_failed']));
    await test.look('dashboard-sandbox');
  });

  it('moves the clock by seven days, and a hold expires', async () => {
    const hold = await test.payment({ captureMethod: 'manual' });
    expect(hold.status).toBe('authorized');
    const page = await test.visit(member, '/settings/sandbox');
    const readClock = () => block('Clock').locator('time').getAttribute('datetime');
    await block('Clock').getByRole('button', { name: '7 days' }).click();
    await test.dialog('Move the clock 7 days forward?').waitFor();
    const before = Date.parse((await readClock()) ?? '');
    await page.keyboard.press('Escape');
    expect(Date.parse((await readClock()) ?? '')).toBe(before);
    await block('Clock').getByRole('button', { name: '7 days' }).click();
    await page.getByRole('button', { name: 'Move it 7 days' }).click();
    await statusWithText('The clock moved forward by 7 days.').waitFor();
    const week = 7 * 86_400_000;
    expect(Date.parse((await readClock()) ?? '') - before).toBeGreaterThanOrEqual(week);
    await page.getByText('Clock of the sandbox').waitFor();
    // The worker of the service does this as soon as the clock has moved.
    await expireHolds(test.ports, { limit: 20, onError: (_, error) => expect.fail(String(error)) });
    await page.goto(test.at(`/payments/${hold.id}`));
    await test.heading('€19.90').waitFor();
    await page.getByText('Released').first().waitFor();
    expect(await page.getByRole('button', { name: /^Capture/ }).count()).toBe(0);
    const [after] = await test.payments(`id[eq]=${hold.id}`);
    expect(after?.status).toBe('voided');
  });

  it('says nothing of faults and cards that it could not read', async () => {
    const page = await test.openAs(owner);
    await page.route('**/v1/sandbox', (route) => route.abort());
    await page.goto(test.at('/settings/sandbox'));
    await block('Clock').getByRole('alert').waitFor();
    expect(await page.getByText('No fault is planted').count()).toBe(0);
    expect(await block('Test cards').getByRole('list').count()).toBe(0);
    await page.unroute('**/v1/sandbox');
    await block('Clock').getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No fault is planted').waitFor();
  });

  it('has no part in test mode, whose service has no panel and no tester', async () => {
    const page = await test.openAs(owner);
    await page.route('**/dashboard/**', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('<html', '<html data-mode="test"');
      await route.fulfill({ response, body });
    });
    await page.goto(test.at('/settings/sandbox'));
    await page.getByText('This service runs in test mode').waitFor();
    expect(await page.getByRole('link', { name: 'Sandbox' }).count()).toBe(0);
    await page.goto(test.at('/developers/tester'));
    await page.getByText('Only a sandbox has a tester page').waitFor();
  });

  it('support types the address, and is told who may', async () => {
    const support = await test.colleague('Sam Support', 'support');
    const page = await test.visit(support, '/settings/sandbox');
    await page.getByText('Only owners, admins and members see this').waitFor();
    await page.getByText('Roles are assigned by:').waitFor();
    expect(await page.getByRole('link', { name: 'Sandbox' }).count()).toBe(0);
    const { status } = await test.callAs(support, {
      method: 'POST',
      path: '/v1/sandbox/clock/advance',
      body: { seconds: 60 },
      clientId: test.world.client.id,
    });
    expect(status).toBe(403);
  });
});
