// Links that go out by mail, in every spelling but their own: a receipt, the customer's page, an invitation
// and a new password.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { otherSpellings } from '../../../test/attacks/forged-credentials.ts';
import { aPageLink } from '../../../test/customers/customer-pages.ts';
import {
  aClient,
  aCustomer,
  aGateway,
  aToken,
  callAs,
  freshDatabase,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { aStoredPayment } from '../../../test/payments/stored-rows.ts';
import { aBrowser, aPerson } from '../../../test/people/accounts.ts';
import { anInvitation } from '../../../test/people/members.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports } from '../../engine/ports.ts';
import { issuePasswordLink } from '../../engine/steps/people/issue-password-link.ts';
import { everyClient } from '../../storage/database/database.ts';

let db: TestDatabase;
let server: TestServer;
let ports: Ports;
let client: TestClient;
let owner: TestToken;
beforeAll(async () => {
  db = await freshDatabase();
  client = await aClient(db.database);
  owner = await aToken(db.database, client);
  ports = portsFor(db.database);
  server = await aServer(ports);
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

const secretIn = (url: string): string => /[#/]([\w-]{43})$/.exec(url)?.[1] ?? '';
const post = (path: string, body: object) => aBrowser(server.app).call(`POST ${path}`, body);

type Link = {
  readonly make: () => Promise<string>;
  readonly open: (secret: string) => Promise<number>;
  readonly opened: number;
};

const links: Readonly<Record<string, Link>> = {
  'a receipt': {
    async make() {
      const gateway = await aGateway(db.database, client);
      const payment = await aStoredPayment(db.database, client, { gateway, status: 'succeeded' });
      const answer = await callAs(server.app, owner, `GET /v1/payments/${payment.id}/receipt`);
      return secretIn(answer.json().url);
    },
    async open(secret) {
      const url = `/r/${encodeURIComponent(secret)}`;
      const headers = { host: 'localhost' };
      return (await server.app.inject({ method: 'GET', url, headers })).statusCode;
    },
    opened: 200,
  },
  'the customer’s page': {
    async make() {
      const { id: customerId } = await aCustomer(db.database, client);
      return (await aPageLink(ports, { token: owner, customerId })).link;
    },
    open: async (link) => (await post('/v1/customer-page/open', { link })).statusCode,
    opened: 200,
  },
  'an invitation': {
    make: async () => (await anInvitation(ports, client)).link,
    open: async (link) => (await post('/v1/invitation/look', { link })).statusCode,
    opened: 200,
  },
  'a new password': {
    async make() {
      const { id } = await aPerson(ports);
      const made = await db.database.transaction(everyClient, (tx) =>
        issuePasswordLink(tx, id, ports),
      );
      return secretIn(made.url);
    },
    async open(link) {
      const body = { link, password: 'plinth vexing otter canal' };
      return (await post('/v1/account/password-reset/complete', body)).statusCode;
    },
    opened: 204,
  },
};

describe.each(Object.entries(links))('the link to %s', (_name, { make, open, opened }) => {
  it('opens in its own spelling alone', async () => {
    const secret = await make();
    expect(secret).toHaveLength(43);
    const spellings = otherSpellings(secret);
    expect(spellings.length).toBeGreaterThan(5);
    for (const spelling of spellings) {
      expect([spelling, await open(spelling)]).toEqual([spelling, 404]);
    }
    expect(await open(secret)).toBe(opened);
  });
});
