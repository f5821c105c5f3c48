import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvOf } from '../../../../pages/kit/audit/audit-csv.ts';
import { emptySurroundings } from '../../../test/command-line.ts';
import {
  aClient,
  aToken,
  callAs,
  freshDatabase,
  portsFor,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { plantInDatabase } from '../../../test/payments/planted.ts';
import { aPerson } from '../../../test/people/members.ts';
import { aServer } from '../../../test/server.ts';
import { disablePerson } from '../../engine/runs/operator/people.ts';
import { runCommand } from '../run.ts';

let db: TestDatabase;
let token: TestToken;
beforeAll(async () => {
  db = await freshDatabase();
  token = await aToken(db.database, await aClient(db.database));
  const server = await aServer(portsFor(db.database));
  const body = { name: '=cmd,"x"', kind: 'item', prices: [{ currency: 'EUR', amount: 1 }] };
  for (let i = 0; i < 130; i++) {
    await callAs(server.app, token, 'POST /v1/products', { body: { ...body, code: `p${i}` } });
  }
  await server.close();
});
afterAll(() => db?.close());

async function run(...args: string[]) {
  const said = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    write(text: string) {
      said[name] += text;
    },
  });
  const code = await runCommand(['audit-log', ...args], {
    out: sink('out') as never,
    err: sink('err') as never,
    signal: new AbortController().signal,
    databaseUrl: () => db.url,
    openPorts: () => ({ ports: portsFor(db.database), close: async () => undefined }),
    describeError: () => undefined,
    ...emptySurroundings,
  });
  return { code, ...said };
}

describe('svc audit-log', () => {
  it('prints every entry, over all pages, as JSON lines', async () => {
    const { code, out } = await run('--client', token.clientId, '--format', 'json');
    const entries = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(entries.length).toBe(130);
    expect(new Set(entries.map(({ resource }) => resource.id)).size).toBe(130);
    expect(entries[0]).toMatchObject({ action: 'product.created', resource: { id: 'p129' } });
  });

  it('prints CSV that no spreadsheet runs', async () => {
    const { out } = await run('--client', token.clientId);
    const lines = out.trim().split('\r\n');
    expect(lines.length).toBe(131);
    expect(`${lines[0]}\r\n`).toBe(csvOf([]));
    expect(out).not.toMatch(/(^|,)[=+@]/m);
  });

  it('steers no terminal with what was written before names were judged', async () => {
    await plantInDatabase(db.ownerUrl, (run) =>
      run(
        `update audit_entries set after = jsonb_set(after, '{name}', to_jsonb($1::text))
         where resource_id = 'p7'`,
        ['Gold\u009b31m\u001b[2J\u202ex'],
      ),
    );
    const json = (await run('--client', token.clientId, '--format', 'json')).out;
    const lines = json.split('\n').filter((line) => line.includes('Gold'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '').after.name).toBe('Gold\u009b31m\u001b[2J\u202ex');
    for (const out of [json, (await run('--client', token.clientId)).out]) {
      expect(out.replace(/[\r\n]/g, '')).not.toMatch(/[\p{Cc}\u202e]/u);
    }
  });

  it('--since leaves out what is older', async () => {
    const { out } = await run(
      '--client',
      token.clientId,
      '--since',
      '2999-01-01',
      '--format',
      'json',
    );
    expect(out).toBe('');
  });

  it('exit 1 for a merchant that there is not', async () => {
    const { code, out, err } = await run('--client', '01a20075-0000-7000-8000-000000000000');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^svc audit-log: there is no client 01a20075-/);
  });

  it('--service: what was done to the service and to accounts, which is in no merchant’s log', async () => {
    const ports = portsFor(db.database);
    const { id, email } = await aPerson(ports);
    await disablePerson(email, ports);
    const { code, out } = await run('--service', '--format', 'json');
    const entries = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(entries).toContainEqual(
      expect.objectContaining({
        ...{ clientId: null, userId: id, action: 'account.disabled' },
        actor: expect.objectContaining({ kind: 'operator' }),
      }),
    );
    expect(entries.filter(({ clientId }) => clientId !== null)).toEqual([]);
    expect((await run('--service')).out).toContain('account.disabled');
    expect((await run('--client', token.clientId)).out).not.toContain('account.disabled');
  });

  it('exit 2 for what makes no sense', async () => {
    expect(await run()).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--client .* --service/),
    });
    expect((await run('--client', 'x')).code).toBe(2);
    expect((await run('--client', token.clientId, '--service')).code).toBe(2);
    expect((await run('--client', token.clientId, '--format', 'xml')).code).toBe(2);
    expect((await run('--client', token.clientId, '--since', 'yesterday')).code).toBe(2);
  });
});
