// svc listen against the API over a real database, and receivers on loopback.

import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptySurroundings } from '../../../test/command-line.ts';
import {
  aClient,
  aToken,
  freshDatabase,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { aLimit } from '../../../test/limit.ts';
import { aStoredEvent, type StoredEvent } from '../../../test/payments/stored-rows.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aReceiver, loopback, type Receiver } from '../../../test/webhooks/webhooks.ts';
import { endToken } from '../../engine/steps/api-tokens/operate-tokens.ts';
import { webhookSender } from '../../webhooks/send.ts';
import { runCommand } from '../run.ts';

let db: TestDatabase;
let server: TestServer;
let port: number;
let client: TestClient;
let token: TestToken;
let folder: string;
const receivers: Receiver[] = [];
const listeners: { stop(): Promise<number> }[] = [];

const serve = async (at: number) => {
  server = await aServer(portsFor(db.database));
  port = await server.listen('127.0.0.1', at);
};
beforeAll(async () => {
  db = await freshDatabase();
  await serve(0);
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});
beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'svc-listen-')), 'data');
  client = await aClient(db.database);
  token = await aToken(db.database, client);
  await anEvent({ createdAt: '2026-01-01T00:00:00.000000Z' });
});
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((one) => one.stop()));
  await Promise.all(receivers.splice(0).map((one) => one.close()));
  rmSync(dirname(folder), { recursive: true, force: true });
});

async function anEvent(given: Parameters<typeof aStoredEvent>[2] = {}): Promise<StoredEvent> {
  const own = new pg.Client({ connectionString: db.url });
  await own.connect();
  const { rows } = await own.query<{ now: string }>('select svc_clock()::text as now');
  await own.end();
  return aStoredEvent(db.database, client, { createdAt: rows[0]?.now ?? '', ...given });
}

const receiver = async (reply?: Parameters<typeof aReceiver>[0]) => {
  const made = await aReceiver(reply);
  receivers.push(made);
  return made;
};

async function waitUntil(what: string, isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { message: what, timeout: 12_000, interval: 20 }).toBe(true);
}

const credentials = () => ({
  SVC_API_URL: `http://127.0.0.1:${port}`,
  SVC_CLIENT_ID: client.id,
  SVC_API_TOKEN: token.token,
});

/** Starts `svc listen`; `begun` resolves once it reads. */
function runSvc(args: readonly string[], env: Record<string, string> = credentials()) {
  const stopping = new AbortController();
  const said = { out: '', err: '' };
  const ended = runCommand(['listen', '--data', folder, ...args], {
    out: {
      write(text) {
        said.out += text;
      },
    },
    err: {
      write(text) {
        said.err += text;
      },
    },
    signal: stopping.signal,
    databaseUrl: () => db.url,
    openPorts: () => ({ ports: portsFor(db.database), close: async () => undefined }),
    describeError: () => undefined,
    ...emptySurroundings,
    env,
    sendWebhook: webhookSender({ allow: loopback }),
  });
  const listener = {
    said,
    ended,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
  listeners.push(listener);
  return listener;
}

/** Starts listening, and waits until the events from before the start are skipped. */
async function listening(url: string, ...args: string[]) {
  const listener = runSvc(['--forward-to', url, ...args]);
  await reads(2);
  return listener;
}

/** waits until the list has been read this many times from now on. */
async function reads(times: number): Promise<void> {
  const asked = server.logged.length;
  const isRead = (line: object) => /listEvents.*200|200.*listEvents/.test(JSON.stringify(line));
  await waitUntil('a reading', () => server.logged.slice(asked).filter(isRead).length >= times);
}

const idsAt = ({ received }: Receiver) => received.map(({ headers }) => headers['webhook-id']);
const runHere = async (...args: string[]) => {
  const listener = runSvc(args, {});
  return { code: await listener.ended, ...listener.said };
};

describe('svc listen', () => {
  it('forwards what happens from now on, each once, with body and headers of a delivery', async () => {
    const target = await receiver();
    const { said, stop } = await listening(target.url);
    const event = await anEvent({ type: 'item.purchased' });
    await target.arrived(1);
    const [got] = target.received;
    const { data } = JSON.parse(String(got?.body)) as { data: unknown };
    expect(data).toEqual({
      object: { id: event.resourceId, more: { kept: true } },
      failure: { code: 'x' },
    });
    expect(got?.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Svc-Webhooks/1',
      'webhook-id': event.id,
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    const { out: secret } = await runHere('--print-secret');
    const [, t = '', v1 = ''] =
      /^t=(\d+),v1=(\w+)$/.exec(String(got?.headers['svc-signature'])) ?? [];
    const signed = `${t}.${got?.body}`;
    expect(createHmac('sha256', secret.trim()).update(signed).digest('hex')).toBe(v1);
    await waitUntil('the answer', () => said.out.includes('<-- 200'));
    expect(said.out).toContain(`--> item.purchased                  ${event.id}  payment\n`);
    expect(await stop()).toBe(0);
    expect(said.out).toContain('1 events forwarded, 1 answered with 2xx');
    expect(target.received).toHaveLength(1);
  });

  it('an event that commits late, behind the newest, is forwarded too, once', async () => {
    const target = await receiver();
    const slow = new pg.Client({ connectionString: db.url });
    await slow.connect();
    try {
      await slow.query('begin');
      const write = async (query: { text: string }, values: readonly unknown[]) =>
        (await slow.query(query.text, [...values])).rows as never[];
      const { rows } = await slow.query<{ now: string }>('select svc_clock()::text as now');
      const createdAt = rows[0]?.now ?? '';
      const late = await aStoredEvent({ write }, client, { createdAt });
      const before = await anEvent();
      await listening(target.url);
      await slow.query('commit');
      const after = await anEvent();
      await target.arrived(2);
      expect(idsAt(target).sort()).toEqual([late.id, after.id].sort());
      expect(idsAt(target)).not.toContain(before.id);
    } finally {
      await slow.end();
    }
  });

  it('none is lost and none doubled while the service restarts', async () => {
    const target = await receiver();
    const { said } = await listening(target.url);
    const first = await anEvent();
    await target.arrived(1);
    await server.close();
    await waitUntil('the loss', () => said.out.includes('trying again'));
    const meanwhile = [await anEvent(), await anEvent()];
    await serve(port);
    await target.arrived(3);
    const last = await anEvent();
    await target.arrived(4);
    expect(idsAt(target)).toEqual([first, ...meanwhile, last].map(({ id }) => id));
    expect(said.out).toContain('the service is back');
  });

  it('it goes on with a start over other data, whose credentials it reads once they are told', async () => {
    const target = await receiver();
    const running = join(folder, 'running.json');
    const writeBlock = () => {
      const apiUrl = `http://127.0.0.1:${port}`;
      const block = { apiUrl, clientId: client.id, apiToken: token.token };
      writeFileSync(running, JSON.stringify(block));
    };
    mkdirSync(folder);
    writeBlock();
    const { said } = runSvc(['--forward-to', target.url], {});
    // Three reads find the position, the others follow it.
    await reads(5);
    await server.close();
    for (const file of [running, join(folder, 'listen-secret')]) rmSync(file);
    await endToken(token.id, portsFor(db.database));
    await serve(port);
    await waitUntil('a refusal', () => JSON.stringify(server.logged).includes('401'));
    client = await aClient(db.database);
    token = await aToken(db.database, client);
    writeBlock();
    await waitUntil('the other data', () => said.out.includes('other data'));
    await reads(2);
    const { id } = await anEvent();
    await target.arrived(1);
    expect(idsAt(target)).toEqual([id]);
    // A handler with the new secret verifies what is signed here.
    expect(said.out).toContain((await runHere('--print-secret')).out.trim());
  });

  it('while its data folder is away it turns to no service of the environment', async () => {
    const target = await receiver();
    const files = ['running.json', 'service.env'].map((name) => join(folder, name));
    const apiUrl = `http://127.0.0.1:${port}`;
    const block = JSON.stringify({ apiUrl, clientId: client.id, apiToken: token.token });
    const writeBlock = () => {
      for (const file of files) writeFileSync(file, block);
    };
    mkdirSync(folder);
    writeBlock();
    const other = await aClient(db.database);
    const { token: SVC_API_TOKEN } = await aToken(db.database, other);
    const env = { SVC_API_URL: apiUrl, SVC_CLIENT_ID: other.id, SVC_API_TOKEN };
    const { said } = runSvc(['--forward-to', target.url], env);
    // Three reads find the position, the others follow it.
    await reads(5);
    for (const file of files) rmSync(file);
    await server.close();
    await waitUntil('the loss', () => said.out.includes('trying again'));
    await serve(port);
    await waitUntil('the way back', () => said.out.includes('the service is back'));
    writeBlock();
    const { id } = await anEvent();
    await target.arrived(1);
    expect(idsAt(target)).toEqual([id]);
    expect(said.out).not.toContain('other data');
  });

  it('it waits where its merchant has used up a limit, and goes on', async () => {
    const target = await receiver();
    const front = await aLimit(port);
    const env = { ...credentials(), SVC_API_URL: front.url };
    const { said } = runSvc(['--forward-to', target.url], env);
    // Three reads find the position, the others follow it.
    await reads(5);
    front.limit(true);
    await waitUntil('the wait', () => /429 rate_limited.*; trying again/.test(said.out));
    const meanwhile = await anEvent();
    front.limit(false);
    await target.arrived(1);
    expect(idsAt(target)).toEqual([meanwhile.id]);
    front.close();
  });

  it('events wait while nobody listens, and come in their order', async () => {
    const gone = await aReceiver();
    await gone.close();
    const { said } = await listening(gone.url);
    const resourceId = newId();
    const sent = [
      await anEvent({ resourceId, sequence: 1 }),
      await anEvent({ resourceId, sequence: 2 }),
      await anEvent({ resourceId, sequence: 3 }),
    ];
    await waitUntil('the note', () => said.out.includes('nobody listens'));
    const came: unknown[] = [];
    const back = http.createServer((request, response) => {
      came.push(request.headers['webhook-id']);
      request.resume();
      response.end();
    });
    back.listen(gone.port, '127.0.0.1');
    await waitUntil('all three', () => came.length >= 3);
    // A delivery that was sent twice would arrive before the next event.
    const next = await anEvent();
    await waitUntil('the next one', () => came.includes(next.id));
    back.close();
    expect(came).toEqual([...sent, next].map(({ id }) => id));
    expect(said.out.match(/nobody listens/g)).toHaveLength(1);
  });

  it('a later event of a resource waits for the answer to the earlier one, others do not', async () => {
    const held: http.ServerResponse[] = [];
    const target = await receiver((_, response) => void held.push(response));
    await listening(target.url);
    const resourceId = newId();
    const first = await anEvent({ resourceId, sequence: 1 });
    const second = await anEvent({ resourceId, sequence: 2 });
    const other = await anEvent();
    await target.arrived(2);
    const another = await anEvent();
    await target.arrived(3);
    expect(idsAt(target)).toEqual([first.id, other.id, another.id]);
    for (const response of held.splice(0)) response.end();
    await target.arrived(4);
    expect(idsAt(target)[3]).toBe(second.id);
    for (const response of held) response.end();
  });

  it('another answer than 2xx is shown with its words, and not sent again', async () => {
    const target = await receiver((_, response) => response.writeHead(400).end('bad signature'));
    const { said } = await listening(target.url, '--json');
    const event = await anEvent();
    await waitUntil('the answer', () => said.out.includes('"kind":"answer"'));
    const lines = said.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { kind: 'event', id: event.id, type: 'payment.authorized' },
      { kind: 'answer', eventId: event.id, status: 400, excerpt: 'bad signature' },
    ]);
    expect(said.err).toContain('--print-secret');
    const next = await anEvent();
    await target.arrived(2);
    expect(idsAt(target)).toEqual([event.id, next.id]);
  });

  it('--events and --since choose; an id of nobody is refused', async () => {
    const target = await receiver();
    const wanted = await anEvent({ type: 'item.purchased' });
    await anEvent();
    const own = await anEvent({ type: 'item.purchased' });
    await listening(target.url, '--since', wanted.id, '--events', 'item.purchased,refund.created');
    await target.arrived(1);
    expect(idsAt(target)).toEqual([own.id]);
    const unknown = `evt_${newId().replaceAll('-', '')}`;
    const lost = runSvc(['--forward-to', target.url, '--since', unknown]);
    expect(await lost.ended).toBe(2);
    expect(lost.said.err).toContain(unknown);
  });

  it('a merchant without any event yet: the first one is forwarded', async () => {
    client = await aClient(db.database);
    token = await aToken(db.database, client);
    const target = await receiver();
    await listening(target.url);
    const event = await anEvent();
    await target.arrived(1);
    expect(idsAt(target)).toEqual([event.id]);
  });

  it('the secret stays the same in a project, for its owner alone, and two first ones agree', async () => {
    const [one, two] = await Promise.all([runHere('--print-secret'), runHere('--print-secret')]);
    expect(one).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^svc_whsec_\S{44}\n$/),
    });
    expect(two.out).toBe(one.out);
    expect((await runHere('--print-secret')).out).toBe(one.out);
    const file = join(folder, 'listen-secret');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, 'svc_whsec_short\n');
    expect(await runHere('--print-secret')).toMatchObject({ code: 2, out: '' });
  });

  it('2 and a word of what is missing: no target, no service, a misspelt event, half of the credentials', async () => {
    expect((await runHere()).err).toContain('--forward-to');
    expect((await runHere('--forward-to', '3000')).err).toContain('no npm start runs in');
    const misspelt = await runHere('--forward-to', '3000', '--events', 'payment.authorised');
    expect(misspelt).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean payment.authorized'),
    });
    const half = runSvc(['--forward-to', '3000'], { SVC_API_URL: 'http://127.0.0.1:1' });
    expect([await half.ended, half.said.err]).toEqual([2, expect.stringContaining('--client-id')]);
    const wrong = runSvc(['--forward-to', '3000'], { ...credentials(), SVC_API_TOKEN: 'svc_no' });
    expect([await wrong.ended, wrong.said.err]).toEqual([2, expect.stringContaining('401')]);
  });
});
