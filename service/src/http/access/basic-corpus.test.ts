// Forged and malformed credentials, byte for byte over a socket: every one gets the same response,
// changes nothing and reveals nothing. Reliability §5.1.

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ForgedCredential,
  forgedBearers,
  type GenuineCredential,
  malformedHeaders,
  wrongPairs,
} from '../../../test/attacks/forged-credentials.ts';
import { aClient, aToken, basicHeader, freshDatabase, portsFor } from '../../../test/harness.ts';
import { aGrant } from '../../../test/people/grants.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Database } from '../../storage/database/database.ts';
import { sql } from '../../storage/database/sql.ts';
import { contractLimits } from '../limits/limits.ts';

let db: Awaited<ReturnType<typeof freshDatabase>>;
let server: TestServer;
let guarded: TestServer;
let genuine: GenuineCredential;
let clockMs = 0;
/** Statements that the servers sent to the database. */
const asked: string[] = [];

beforeAll(async () => {
  db = await freshDatabase();
  genuine = await createGenuine(db.database);
  const watched: Database = {
    ...db.database,
    read: (query, values) => {
      asked.push(query.name);
      return db.database.read(query, values);
    },
  };
  server = await aServer(portsFor(watched));
  const limits = { ...contractLimits, clientPerSecond: 10_000 };
  guarded = await aServer(portsFor(watched), { limits, nowMs: () => clockMs });
  for (const { app } of [server, guarded]) await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server?.close();
  await guarded?.close();
  await db?.close();
});

const replace = sql(
  'test_corpus_replace',
  `update api_tokens set token_sha256 = sha256(random()::text::bytea),
     previous_sha256 = case when $2 then token_sha256 end,
     previous_until = case when $2 then svc_clock() - interval '1 second' end
   where id = $1`,
);
const leave = sql('test_corpus_leave', 'delete from memberships where user_id = $1');
const lastUses = sql<{ used: number }>(
  'test_corpus_uses',
  'select count(*)::int as used from api_tokens where last_used_at is not null',
);

async function createGenuine(database: Database): Promise<GenuineCredential> {
  const client = await aClient(database);
  const other = await aClient(database);
  const right = await aToken(database, client);
  const user = { id: right.userId };
  const createToken = (given: Parameters<typeof aToken>[2]) =>
    aToken(database, client, { user, ...given });
  const [away, over] = [await createToken({}), await createToken({})];
  await database.write(replace, [away.id, false]);
  await database.write(replace, [over.id, true]);
  const former = await aToken(database, client, { role: 'admin' });
  await database.write(leave, [former.userId]);
  const grant = await aGrant({ database }, { user, client, scopes: ['payments:read'] });
  return {
    clientId: client.id,
    otherClientId: other.id,
    userId: right.userId,
    tokenId: right.id,
    token: right.token,
    revoked: (await createToken({ revokedAt: new Date() })).token,
    expired: (await createToken({ expiresAt: new Date(Date.now() - 1000) })).token,
    rotatedAway: away.token,
    overlapOver: over.token,
    ofOtherClient: (await aToken(database, other)).token,
    ofFormerMember: former.token,
    accessToken: grant.accessToken,
  };
}

type HttpAnswer = {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
};

/** Sends the lines as they are; Node writes a header of several lines as several headers. */
function sendLines(
  to: TestServer,
  lines: readonly string[],
  path = '/v1/payments',
): Promise<HttpAnswer> {
  const { port } = to.app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, text: Buffer.concat(parts).toString() });
      });
    });
    request.on('error', reject);
    if (lines.length > 0) request.setHeader('authorization', [...lines]);
    request.end();
  });
}

const genuineHeader = () => basicHeader(genuine.clientId, genuine.token);
/** Returns the response without what differs in each request. */
const comparableAnswer = ({ status, headers, text }: HttpAnswer) =>
  JSON.stringify([
    status,
    Object.keys(headers).sort(),
    headers['content-length'],
    text.replace(/req_\w{26}/, 'req_'),
  ]);

const corpus = (): ForgedCredential[] => [
  ...malformedHeaders(genuine),
  ...wrongPairs(genuine),
  ...forgedBearers(genuine),
];
// Node refuses to send these, and its parser cuts blanks at the ends of a value.
const isSendable = (value: string) => !/[^\t\x20-\x7e\x80-\xff]/.test(value);
const sendableOnly = (forged: ForgedCredential[]) =>
  forged.filter(([, ...lines]) => lines.every((line) => isSendable(line) && line === line.trim()));

describe('a credential that is forged or malformed', () => {
  it('Contract §6 unknown client · 190 ways and more, 60 of them bearers: one and the same 401', async () => {
    const cases = sendableOnly(corpus());
    expect(new Set(cases.map(([, ...lines]) => lines.join('\n'))).size).toBeGreaterThan(190);
    expect(forgedBearers(genuine).length).toBeGreaterThan(60);
    const nobody = await sendLines(server, []);
    expect([nobody.status, JSON.parse(nobody.text).code]).toEqual([401, 'authentication_required']);
    for (const [title, ...lines] of cases) {
      const told = await sendLines(server, lines);
      expect(comparableAnswer(told), title).toBe(comparableAnswer(nobody));
      expect(told.headers['www-authenticate'], title).toMatch(/^(Basic realm="svc"|Bearer )/);
    }
  });

  it('the right credential passes among them, in every spelling that is one', async () => {
    const spellings = [
      genuineHeader(),
      genuineHeader().replace('Basic', 'basic'),
      genuineHeader().replace('Basic', 'BASIC'),
      basicHeader(genuine.clientId.toUpperCase(), genuine.token),
    ];
    for (const line of spellings) expect((await sendLines(server, [line])).status, line).toBe(200);
    const bearer = `Bearer ${genuine.accessToken}`;
    expect((await sendLines(server, [bearer])).status).toBe(200);
  });

  it('Contract §6 checksum: nothing is looked up for what has not the form or the checksum', async () => {
    const unread = [
      ...malformedHeaders(genuine),
      ...wrongPairs(genuine).filter(([title]) => /^character|checksum|cut by|one more/.test(title)),
    ];
    expect(unread.length).toBeGreaterThan(50);
    for (const [title, ...lines] of sendableOnly(unread)) {
      // A bearer of the right form is looked up, whatever it contains.
      if (/^Bearer [\w-]+$/.test(lines.join())) continue;
      asked.length = 0;
      await sendLines(server, lines);
      expect(asked, title).toEqual([]);
    }
    await sendLines(server, [genuineHeader()]);
    expect(asked).toContain('find_api_token');
  });

  it('nothing of it is logged, and it uses no token', async () => {
    server.logged.length = 0;
    const cases = sendableOnly(corpus());
    for (const [, ...lines] of cases) await sendLines(server, lines);
    const log = JSON.stringify(server.logged);
    expect(server.logged.length).toBeGreaterThanOrEqual(cases.length);
    const { token, revoked, expired, ofFormerMember, accessToken } = genuine;
    for (const secret of [token, revoked, expired, ofFormerMember, accessToken]) {
      expect(log).not.toContain(secret.slice(4, 40));
    }
    expect(log).not.toContain('[redacted]');
    // Only the use of the valid credential in the tests before was recorded.
    await expect.poll(async () => (await db.database.read(lastUses, []))[0]?.used).toBe(1);
  });

  it('a header of 1 MiB ends in a refusal of the protocol', async () => {
    const told = await sendLines(server, [`Basic ${'A'.repeat(1 << 20)}`]).catch((error) => error);
    expect([431, 'ECONNRESET', 'EPIPE']).toContain(told.status ?? told.code);
  });

  it('elsewhere than in Authorization it is none', async () => {
    const path = `/v1/payments?access_token=${genuine.accessToken}&token=${genuine.token}`;
    const nobody = await sendLines(server, []);
    expect(comparableAnswer(await sendLines(server, [], path))).toBe(comparableAnswer(nobody));
  });
});

describe('the budget of guesses', () => {
  const guessCredential = () =>
    sendLines(guarded, [basicHeader(genuine.clientId, genuine.revoked)]);
  const spendGuesses = async (count: number) => {
    const told = [];
    for (let n = 0; n < count; n++) told.push((await guessCredential()).status);
    return told;
  };

  it('20 a minute from an address, then 429 with when to come again, whatever the guess', async () => {
    expect(await spendGuesses(20)).toEqual(Array(20).fill(401));
    const bodies = new Set<string>();
    for (const [, ...lines] of sendableOnly(corpus()).slice(0, 40)) {
      const told = await sendLines(guarded, lines);
      expect([told.status, JSON.parse(told.text).code]).toEqual([429, 'rate_limited']);
      expect(Number(told.headers['retry-after'])).toBeGreaterThan(0);
      bodies.add(comparableAnswer(told));
    }
    expect(bodies.size).toBe(1);
  });

  it('a right credential still passes, and gives no guess back', async () => {
    for (let n = 0; n < 5; n++)
      expect((await sendLines(guarded, [genuineHeader()])).status).toBe(200);
    expect((await guessCredential()).status).toBe(429);
  });

  it('three seconds later one more, a minute later twenty', async () => {
    clockMs += 3001;
    expect(await spendGuesses(2)).toEqual([401, 429]);
    clockMs += 60_000;
    expect(await spendGuesses(21)).toEqual([...Array(20).fill(401), 429]);
  });

  it('200 failures a minute that name one client: one warning, and nobody is locked out', async () => {
    const warnings = () =>
      guarded.logged.filter(({ msg }) => String(msg).startsWith('many failed'));
    clockMs += 60_000;
    const others = basicHeader(genuine.otherClientId, genuine.token);
    for (let n = 0; n < 199; n++) await guessCredential();
    await sendLines(guarded, [others]);
    expect(warnings()).toEqual([]);
    for (let n = 0; n < 210; n++) await guessCredential();
    expect(warnings()).toMatchObject([{ clientId: genuine.clientId }]);
    expect((await sendLines(guarded, [genuineHeader()])).status).toBe(200);
    clockMs += 60_000;
    for (let n = 0; n < 200; n++) await guessCredential();
    expect(warnings()).toHaveLength(2);
  });
});
