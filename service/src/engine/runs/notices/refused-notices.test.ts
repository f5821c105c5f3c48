// A gateway whose secret is not the provider's: counted, shown, mailed, and cleared by a genuine notice.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runOn } from '../../../../test/command-line.ts';
import { callAs, moveClock, newId } from '../../../../test/harness.ts';
import { deliverNotice, signNotice } from '../../../../test/payments/notices.ts';
import { aServer, type TestServer } from '../../../../test/server.ts';
import { startWorld, type World } from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { clearRefusedNotices } from '../../../storage/gateways/refused-notices.ts';
import { claimMails } from '../../../storage/mails/mails.ts';
import type { Ports } from '../../ports.ts';
import { lookForTrouble } from '../alerts/tell-operator.ts';
import { receiveNotice } from './receive-notice.ts';

let world: World;
let server: TestServer;
let ports: Ports;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports, { receiveNotice });
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  const settings = {
    ...world.ports.settings,
    baseUrl: `http://127.0.0.1:${port}`,
    operatorEmail: 'operator@example.test',
  };
  ports = { ...world.ports, settings };
});
beforeEach(() => clearRefusedNotices(world.database, world.gatewayId));
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const event = (more: object = {}) => ({
  ...{ object: 'event', id: `evt_${newId()}`, type: 'payment_intent.succeeded', livemode: false },
  created: Math.floor(Date.now() / 1000),
  data: { object: { object: 'payment_intent', id: 'pi_nobody' } },
  ...more,
});
const refuseOne = () => {
  const one = event();
  return deliverNotice(world, one, { signature: signNotice(JSON.stringify(one), 'whsec_other') });
};
const gateways = (verb: string) =>
  runOn(ports, ['gateways', verb, ...(verb === 'check' ? ['--gateway', world.gatewayId] : [])]);
const countNotices = sql<{ n: number }>(
  'test_refused_stored',
  'select count(*)::int as n from provider_inbox',
);

describe('notices that are refused', () => {
  it('are counted and shown by list, check and the overview, until a genuine one arrives', async () => {
    expect((await gateways('list')).out).toContain('secret stored');
    for (let times = 0; times < 3; times += 1) expect(await refuseOne()).toBe('refused');
    expect((await gateways('list')).out).toMatch(/3 notices refused since \S+Z: wrong_secret/);
    const checked = await gateways('check');
    expect(checked.code).toBe(1);
    expect(checked.out).toMatch(
      /^wrong +notices +3 notices refused since \S+Z, none accepted: the signature is not made/m,
    );
    const { body } = await callAs(server.app, world.token, 'GET /v1/overview');
    expect(JSON.parse(body).refusedNotices).toEqual({
      total: 1,
      data: [
        {
          ...{ gatewayId: world.gatewayId, provider: 'cardprovider', refused: 3 },
          ...{ accountId: world.account.accountId, since: expect.stringMatching(/Z$/) },
        },
      ],
    });
    expect(await deliverNotice(world, event())).toBe('stored');
    expect((await gateways('list')).out).toContain('secret stored');
  });

  it('are counted by kind: another mode, another account, an old clock', async () => {
    for (const [more, fault] of [
      [{ livemode: true }, 'other_mode'],
      [{ account: 'acct_other' }, 'other_account'],
    ] as const) {
      await deliverNotice(world, event(more));
      expect((await gateways('list')).out).toContain(fault);
    }
  });

  it('are told to the operator after ten minutes, with what to do', async () => {
    const mails = async () => {
      await lookForTrouble(ports, Date.now());
      const found = await claimMails(world.database, 10);
      return found.map(({ id, bodySealed }) =>
        ports.sealedHere.open({ table: 'mails', rowId: id, field: 'body' }, bodySealed),
      );
    };
    await refuseOne();
    expect(await mails()).toEqual([]);
    await moveClock(world.database, 601_000);
    const [mail, ...more] = await mails();
    expect(more).toEqual([]);
    expect(mail).toContain(`gateway ${world.gatewayId} of merchant ${world.client.id} refuses`);
    expect(mail).toContain('copy the secret of the endpoint');
  });
});

describe('svc gateways check', () => {
  it('sends a signed notice through the public address; nothing of it is stored or cleared', async () => {
    const stored = await world.database.read(countNotices, []);
    const well = await gateways('check');
    expect(well.out).toMatch(/^good +own notice +a signed notice is accepted at http/m);
    await refuseOne();
    expect((await gateways('check')).out).toMatch(/^wrong +notices +1 notice refused/m);
    expect(await world.database.read(countNotices, [])).toEqual(stored);
  });

  it.each([
    [
      'changes the body',
      400,
      '{"code":"invalid_request"}',
      /a proxy on the way to .* changes the body/,
    ],
    ['answers by itself', 404, 'not found', /answers with status 404: let the proxy pass/],
    ['redirects', 302, '', /answers with status 302/],
    ['answers for all', 200, '<html>', /answers with status 200/],
  ])('names a proxy that %s', async (_, status, body, said) => {
    const proxy = createServer((_request, reply) => reply.writeHead(status).end(body));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const settings = { ...ports.settings, baseUrl: `http://127.0.0.1:${port}` };
    try {
      const { code, out } = await runOn({ ...ports, settings }, ['gateways', 'check']);
      expect(code).toBe(1);
      expect(out).toMatch(new RegExp(`^wrong +own notice +.*${said.source}`, 'm'));
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it('notes that nobody listens on this machine', async () => {
    const settings = { ...ports.settings, baseUrl: 'http://127.0.0.1:1' };
    const { out } = await runOn({ ...ports, settings }, ['gateways', 'check']);
    expect(out).toMatch(/^note +own notice +.* does not answer \(\w+\): start the service/m);
  });
});
