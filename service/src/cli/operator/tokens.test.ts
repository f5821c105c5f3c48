// svc tokens over a real database.

import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import {
  aClient,
  aToken,
  freshDatabase,
  portsFor,
  type TestDatabase,
} from '../../../test/harness.ts';
import { auditedOf, listTokenEvents } from '../../../test/people/tokens-by-owner.ts';
import type { Ports } from '../../engine/ports.ts';
import { verifyApiToken } from '../../engine/steps/api-tokens/verify-api-token.ts';
import { sql } from '../../storage/database/sql.ts';

let db: TestDatabase;
let ports: Ports;
let clientId: string;
let email: string;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  const client = await aClient(db.database);
  const token = await aToken(db.database, client);
  clientId = client.id;
  email = `${token.userId}@example.test`;
});
afterAll(() => db?.close());

const runSvc = (...args: string[]) => runOn(ports, ['tokens', ...args]);
const create = (...more: string[]) =>
  runSvc('create', '--client', clientId, '--user', email, '--name', 'till', ...more);
const valueIn = (out: string) => /^value {2}(svc_\S+)$/m.exec(out)?.[1] ?? '';
const idIn = (out: string) => /^token {2}(\S+)$/m.exec(out)?.[1] ?? '';
const isTokenValid = (value: string) =>
  verifyApiToken(clientId, hash('sha256', value, 'buffer'), ports).then(Boolean);

describe('svc tokens', () => {
  it('create: a member’s token whose value is printed once, and the log names the operator', async () => {
    const { code, out } = await create('--scopes', 'payments:read', '--expires-at', '2999-01-01');
    const [id, value] = [idIn(out), valueIn(out)];
    expect([code, await isTokenValid(value)]).toEqual([0, true]);
    const entries = await auditedOf(ports, id);
    expect(entries).toMatchObject([{ action: 'api_token.created', actor_kind: 'operator' }]);
    expect(await listTokenEvents(ports, id)).toMatchObject([
      { type: 'api_token.created', sequence: 1 },
    ]);
    const listed = (await runSvc('list', '--client', clientId)).out;
    expect(listed).toContain(`${id}  ${clientId}  ${email}  till`);
    expect(listed).toContain('payments:read');
    expect(listed).not.toContain('svc_');
  });

  it('revoke: at once, and again without a second entry; without one there is 1', async () => {
    const made = (await create()).out;
    const [id, value] = [idIn(made), valueIn(made)];
    for (let n = 0; n < 2; n++) expect((await runSvc('revoke', '--token', id)).code).toBe(0);
    expect(await isTokenValid(value)).toBe(false);
    const actions = (await auditedOf(ports, id)).map(({ action }) => action);
    expect(actions).toEqual(['api_token.created', 'api_token.revoked']);
    expect((await runSvc('list')).out).not.toContain(id);
    expect((await runSvc('revoke', '--token', clientId)).code).toBe(1);
  });

  it('1 for who is no member, for an end that is over, and over ten', async () => {
    const stranger = ['create', '--client', clientId, '--user', 'a@b.example', '--name', 'x'];
    expect(await runSvc(...stranger)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/member/),
    });
    expect((await create('--expires-at', '2001-01-01')).err).toContain('over already');
    const forget = sql('t_cli_forget', 'delete from api_tokens where client_id = $1');
    await db.database.write(forget, [clientId]);
    for (let n = 0; n < 10; n++) expect((await create()).code).toBe(0);
    expect(await create()).toMatchObject({ code: 1, err: expect.stringMatching(/ten active/) });
  });

  it('2 for what makes no sense, before anything is opened', async () => {
    const wrong = [
      [],
      ['lst'],
      ['create', '--client', clientId, '--user', email],
      ['create', '--client', 'x', '--user', email, '--name', 'x'],
      ['create', '--client', clientId, '--user', email, '--name', 'x', '--scopes', 'mcp'],
      [
        'create',
        '--client',
        clientId,
        '--user',
        email,
        '--name',
        'x',
        '--expires-at',
        '2999-02-31',
      ],
      ['revoke'],
      ['list', '--cleint', clientId],
    ];
    for (const args of wrong) expect((await runSvc(...args)).code, args.join(' ')).toBe(2);
  });
});
