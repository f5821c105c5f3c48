// A person's choice of notifications at a merchant. Additions §6, Notifications.

import type { Notifications } from '@svc/contract/settings/notifications';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  freshDatabase,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
} from '../../../test/harness.ts';
import {
  aPerson,
  aSignedInBrowser,
  auditOf,
  type TestBrowser,
} from '../../../test/people/accounts.ts';
import { join } from '../../../test/people/members.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports, Role } from '../../engine/ports.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
let shop: TestClient;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  server = await aServer(ports);
  shop = await aClient(db.database);
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

async function aMemberWith(role: Role) {
  const person = await aPerson(ports);
  await join(db.database, shop, { person, role });
  return { person, browser: await aSignedInBrowser({ app: server.app, ports }, person) };
}

const notificationsPath = (clientId = shop.id) => `/v1/account/notifications?clientId=${clientId}`;
const readChoices = async (browser: TestBrowser): Promise<Notifications> =>
  (await browser.call(`GET ${notificationsPath()}`)).json();
const save = (browser: TestBrowser, kind: string, choice: string, clientId = shop.id) =>
  browser.call(`PUT ${notificationsPath(clientId)}`, { choices: [{ kind, choice }] });
const statusAndBody = (response: Awaited<ReturnType<TestBrowser['call']>>) => [
  response.statusCode,
  response.json().code,
];

const chosenOf = ({ data }: Notifications, choice: string) =>
  data.filter((each) => each.choice === choice).map(({ kind }) => kind);

describe('getNotifications', () => {
  const disputes = ['dispute_opened', 'dispute_due', 'dispute_decided'];

  it.each([
    ['viewer', 12, [], []],
    [
      'support',
      12,
      ['hold_expiring', 'review_opened', 'refund_failed', 'renewal_failed', 'card_removed'],
      [],
    ],
    [
      'finance',
      12,
      [...disputes, 'fraud_warning', 'payment_differs', 'monthly_file'],
      ['daily_digest'],
    ],
    ['member', 13, ['endpoint_failing'], []],
    [
      'admin',
      14,
      [
        ...['hold_expiring', ...disputes, 'fraud_warning', 'refund_to_approve', 'endpoint_failing'],
        ...['payment_differs', 'monthly_file'],
      ],
      [],
    ],
    [
      'owner',
      14,
      [
        ...['hold_expiring', ...disputes, 'fraud_warning', 'refund_to_approve', 'endpoint_failing'],
        ...['payment_differs', 'monthly_file'],
      ],
      ['review_opened', 'refund_failed', 'renewal_failed', 'card_removed'],
    ],
  ] as const)('200: %s is offered what the role reads, with its defaults', async (...row) => {
    const [role, offered, mail, daily] = row;
    const { browser } = await aMemberWith(role);
    const body = await readChoices(browser);
    expect(body.clientId).toBe(shop.id);
    expect(body.data).toHaveLength(offered);
    expect(chosenOf(body, 'mail')).toEqual(mail);
    expect(chosenOf(body, 'daily')).toEqual(daily);
    expect(body.data.every(({ isDefault }) => isDefault)).toBe(true);
  });

  it('404 client_not_found: a merchant that the person is no member of, and one that is none', async () => {
    const { browser } = await aMemberWith('owner');
    const other = await aClient(db.database);
    for (const id of [other.id, newId(), 'shop']) {
      expect(statusAndBody(await browser.call(`GET ${notificationsPath(id)}`))).toEqual([
        404,
        'client_not_found',
      ]);
    }
    const none = await browser.call('GET /v1/account/notifications');
    expect(statusAndBody(none)).toEqual([404, 'client_not_found']);
  });

  it('400 invalid_query: a parameter that it does not know', async () => {
    const { browser } = await aMemberWith('owner');
    const answer = await browser.call(`GET ${notificationsPath()}&kind=all`);
    expect(statusAndBody(answer)).toEqual([400, 'invalid_query']);
  });
});

describe('updateNotifications', () => {
  it('200: the given kind changes, in this person’s list alone, and the audit log has it once', async () => {
    const [one, other] = [await aMemberWith('viewer'), await aMemberWith('viewer')];
    const saved = await save(one.browser, 'dispute_opened', 'daily');
    expect(saved.statusCode).toBe(200);
    expect(saved.json()).toEqual(await readChoices(one.browser));
    expect(chosenOf(saved.json(), 'daily')).toEqual(['dispute_opened']);
    await save(one.browser, 'dispute_opened', 'daily');
    expect(chosenOf(await readChoices(other.browser), 'daily')).toEqual([]);
    const lines = (await auditOf(db.database, one.person.id)).filter(
      ({ action }) => action === 'notification.changed',
    );
    expect(lines.map(({ after }) => after)).toEqual([{ choice: 'daily' }]);
  });

  it('403 merchant_role_required: a kind that the role does not read, and nothing is saved', async () => {
    const { browser } = await aMemberWith('finance');
    const both = [
      { kind: 'dispute_opened', choice: 'off' },
      { kind: 'endpoint_failing', choice: 'mail' },
    ];
    const answer = await browser.call(`PUT ${notificationsPath()}`, { choices: both });
    expect(statusAndBody(answer)).toEqual([403, 'merchant_role_required']);
    expect(statusAndBody(await save(browser, 'refund_to_approve', 'mail'))[0]).toBe(403);
    expect(chosenOf(await readChoices(browser), 'mail')).toContain('dispute_opened');
  });

  it('400 invalid_request: a choice that the kind does not have, an unknown one, none at all', async () => {
    const { browser } = await aMemberWith('owner');
    expect(statusAndBody(await save(browser, 'daily_digest', 'mail'))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(statusAndBody(await save(browser, 'daily_digest', 'weekly'))).toEqual([
      400,
      'invalid_request',
    ]);
    const none = await browser.call(`PUT ${notificationsPath()}`, { choices: [] });
    expect(statusAndBody(none)).toEqual([400, 'invalid_request']);
  });

  it('404 client_not_found: another merchant’s', async () => {
    const { browser } = await aMemberWith('owner');
    const other = await aClient(db.database);
    const answer = await save(browser, 'hold_expiring', 'off', other.id);
    expect(statusAndBody(answer)).toEqual([404, 'client_not_found']);
  });
});
