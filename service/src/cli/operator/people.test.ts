// svc clients, svc people and svc mails over a real database.

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
import {
  aMemberOf,
  aPerson,
  isLinkOpen,
  linkIn,
  visitorCaller,
} from '../../../test/people/members.ts';
import { aSignIn } from '../../../test/people/people.ts';
import { refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { verifyApiToken } from '../../engine/steps/api-tokens/verify-api-token.ts';
import { queueMail } from '../../engine/steps/mails/queue-mail.ts';
import { findRole } from '../../engine/steps/people/membership.ts';
import { verifySignIn } from '../../engine/steps/people/verify-sign-in.ts';
import { acceptInvitation } from '../../operations/invitations/accept-invitation.ts';
import { everyClient } from '../../storage/database/database.ts';
import { sql } from '../../storage/database/sql.ts';
import { claimMails, postponeMail } from '../../storage/mails/mails.ts';

let db: TestDatabase;
let ports: Ports;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
});
afterAll(() => db?.close());

const runSvc = (...args: string[]) => runOn(ports, args);

const entries = sql<{ action: string; actor_kind: string; text: string }>(
  't_cli_entries',
  'select action, actor_kind, to_jsonb(a)::text as text from audit_entries a order by id',
);
const isAlive = async ({ cookie }: { cookie: string }) =>
  (await verifySignIn(hash('sha256', cookie.split('=')[1] ?? '', 'buffer'), ports)) !== undefined;

describe('svc clients', () => {
  it('create: a merchant, and a link that makes its first owner, once', async () => {
    const { code, out, err } = await runSvc(
      ...['clients', 'create', '--name', 'Blue Bikes', '--owner', 'Grace@Example.test'],
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const clientId = /^client {2}(\S+)$/m.exec(out)?.[1] ?? '';
    expect(out).toMatch(/^owner {3}http:\/\/localhost:4000\/account\/invitation#[\w-]{43}$/m);
    expect((await runSvc('clients', 'list')).out).toMatch(
      new RegExp(`^${clientId}  Blue Bikes  sandbox  0 +none yet$`, 'm'),
    );
    const body = { link: linkIn(out), name: 'Grace', password: 'plum orchard at seven' };
    const joined = await acceptInvitation({ body }, visitorCaller(), ports, refuse);
    expect(joined).toMatchObject({ status: 200, body: { clientId, role: 'owner' } });
    expect((await runSvc('clients', 'list')).out).toMatch(
      /Blue Bikes {2}sandbox {2}1 +grace@example.test/,
    );
    const written = await db.database.read(entries, []);
    expect(written.map(({ action, actor_kind }) => [action, actor_kind])).toEqual(
      expect.arrayContaining([
        ['client.created', 'operator'],
        ['invitation.created', 'operator'],
        ['member.added', 'person'],
      ]),
    );
    expect(JSON.stringify(written)).not.toContain(body.link);
  });

  it('create, update, show: how buyers know a merchant, judged before anything is opened', async () => {
    const wish = ['--name', 'Blue Bikes', '--owner', 'grace@example.test'];
    const made = await runSvc('clients', 'create', ...wish, '--brand-color', '#0A7D4F');
    const clientId = /^client {2}(\S+)$/m.exec(made.out)?.[1] ?? '';
    const shown = await runSvc('clients', 'show', '--client', clientId);
    expect(shown.out).toMatch(/^brand-color +#0a7d4f$/m);
    expect(shown.out).toMatch(/^business-name +not set$/m);
    const update = (...flags: string[]) =>
      runSvc('clients', 'update', '--client', clientId, ...flags);
    const terms = 'https://bikes.example/terms';
    const changed = await update('--business-name', 'Bikes', '--terms-url', terms);
    expect({ code: changed.code, err: changed.err }).toEqual({ code: 0, err: '' });
    expect(changed.out).toMatch(/^business-name +Bikes$/m);
    expect((await update('--terms-url', '')).out).toMatch(/^terms-url +not set$/m);
    expect((await update('--logo-url', 'http://bikes.example/l.png')).err).toContain(
      '--logo-url: Give a whole https address',
    );
    const address = await update('--business-address', '1 Bean Street\nBerlin');
    expect(address.out).toMatch(/^business-address +1 Bean Street, Berlin$/m);
    expect((await update('--tax-number', 'DE123456789')).out).toMatch(/^tax-number +DE123456789$/m);
    expect((await update('--tax-number', 'none')).err).toContain('--tax-number: Give 2 to 40');
    expect((await update()).err).toContain('--business-name');
    const missing = '00000000-0000-4000-8000-000000000000';
    for (const verb of [['show'], ['update', '--brand-color', '#000000']]) {
      expect(await runSvc('clients', ...verb, '--client', missing)).toEqual({
        code: 1,
        out: '',
        err: `svc clients: there is no client ${missing}\n`,
      });
    }
    const written = await db.database.read(entries, []);
    const updates = written.filter(({ action }) => action === 'client.updated');
    expect(updates.map(({ actor_kind }) => actor_kind)).toEqual(Array(4).fill('operator'));
    expect(updates[0]?.text).toContain('Bikes');
  });

  it('invite-owner: another link for a merchant that is there; the former one is dead', async () => {
    const client = await aClient(db.database);
    const wish = ['clients', 'invite-owner', '--client', client.id, '--owner', 'eve@example.test'];
    const first = linkIn((await runSvc(...wish)).out);
    const second = linkIn((await runSvc(...wish)).out);
    expect(await isLinkOpen(ports, first)).toBe(false);
    expect(await isLinkOpen(ports, second)).toBe(true);
    const missing = '00000000-0000-4000-8000-000000000000';
    expect(
      await runSvc('clients', 'invite-owner', '--client', missing, '--owner', 'e@x.test'),
    ).toEqual({
      code: 1,
      out: '',
      err: `svc clients: there is no client ${missing}\n`,
    });
  });

  it.each([
    [['clients'], 'say what to do: svc clients create, svc clients invite-owner, svc clients list'],
    [['clients', 'update', '--brand-color', '#000000'], '--client is missing'],
    [['clients', 'creat'], 'svc clients has no command creat; did you mean create?'],
    [['clients', 'create', '--owner', 'a@b.test'], '--name is missing'],
    [['clients', 'create', '--name', 'x', '--owner', 'a@b.test, c@d.test'], '--owner is missing'],
    [['clients', 'invite-owner', '--owner', 'a@b.test'], '--client is missing'],
    [['people', 'disable'], 'the mail address is missing, see svc people list'],
    [['people', 'lst'], 'did you mean list?'],
    [['people', 'disable', 'a@b.test', 'more'], "Unexpected argument 'more'"],
  ])('%j: 2, saying why', async (args, why) => {
    const { code, err } = await runSvc(...args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(why) });
  });
});

describe('svc people', () => {
  it('list: everybody with their merchants; a name changes nothing of the terminal', async () => {
    const client = await aClient(db.database, { name: 'Red Rakes' });
    const { email } = await aMemberOf(ports, client, { role: 'admin' });
    await aPerson(ports, { password: null, email: 'odd@example.test', name: '\u001b[2JAda' });
    const { code, out } = await runSvc('people', 'list');
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^${email} +Ada +active +never +Red Rakes \\(admin\\)$`, 'm'));
    expect(out).toMatch(/^odd@example.test +\[2JAda/m);
    expect(out).not.toContain('\u001b');
  });

  it('disable: sign-ins, tokens and role are gone at once; enable gives the role back alone', async () => {
    const client = await aClient(db.database, { name: 'Green Greens' });
    const person = await aMemberOf(ports, client, { role: 'owner' });
    const shop = await aToken(db.database, client, { user: person });
    const isTokenAlive = async () =>
      (await verifyApiToken(client.id, hash('sha256', shop.token, 'buffer'), ports)) !== undefined;
    expect(await isTokenAlive()).toBe(true);
    const make = ['tokens', 'create', '--client', client.id, '--user', person.email];
    const signIn = await aSignIn(ports, person);
    expect(await isAlive(signIn)).toBe(true);
    const { out } = await runSvc('people', 'disable', person.email.toUpperCase());
    expect(out.split('\n').slice(1)).toEqual([
      '1 API token revoked, for good',
      'Green Greens has no other owner: svc clients invite-owner',
      '',
    ]);
    expect(out).toContain('cannot sign in; 1 sign-in ended');
    expect(await isAlive(signIn)).toBe(false);
    expect(await findRole(person.id, client.id, ports)).toBeUndefined();
    expect(await isTokenAlive()).toBe(false);
    expect((await runSvc(...make, '--name', 'late')).code).toBe(1);
    expect((await runSvc('people', 'list')).out).toMatch(
      new RegExp(`^${person.email} +Ada +disabled`, 'm'),
    );
    expect(await runSvc('people', 'enable', person.email)).toMatchObject({ code: 0 });
    expect(await findRole(person.id, client.id, ports)).toBe('owner');
    expect(await isAlive(signIn)).toBe(false);
    expect(await isTokenAlive()).toBe(false);
    expect(await isAlive(await aSignIn(ports, person))).toBe(true);
    expect((await runSvc(...make, '--name', 'new')).code).toBe(0);
  });

  it('reset-password: a one-time link, which is written down nowhere', async () => {
    const { email } = await aPerson(ports, { password: null });
    const { code, out } = await runSvc('people', 'reset-password', email);
    expect(code).toBe(0);
    expect(out).toMatch(/^http:\/\/localhost:4000\/account\/reset#[\w-]{43}\nopens once, until /);
    const written = await db.database.read(entries, []);
    expect(written.at(-1)?.action).toBe('account.password_link_made');
    expect(JSON.stringify(written)).not.toContain(linkIn(out));
  });

  it.each(['disable', 'enable', 'reset-password'])('%s of nobody: 1', async (verb) => {
    expect(await runSvc('people', verb, 'nobody@example.test')).toEqual({
      code: 1,
      out: '',
      err: 'svc people: nobody has the address nobody@example.test\n',
    });
  });
});

describe('svc mails', () => {
  it('shows what waits, the newest last, with the last error', async () => {
    // The mails of the tests above are waiting in the shared database.
    const own = await freshDatabase();
    await own.database.transaction(everyClient, async (tx) => {
      const mail = { kind: 'reset', text: 'Line one\n\nLine two', clientId: null };
      await queueMail(tx, { ...mail, to: 'one@example.test', subject: 'First' }, ports);
    });
    for (const claimed of await claimMails(own.database, 1)) {
      await postponeMail(own.database, claimed, { pauseMs: 60_000, error: 'EAUTH 535' });
    }
    const { code, out } = await runOn(portsFor(own.database), ['mails']);
    await own.close();
    expect(code).toBe(0);
    expect(out).toMatch(
      /Z {2}one@example\.test {2}First {2}\(not sent: EAUTH 535\)\n\n {4}Line one\n\n {4}Line two\n\n1 mail waits\n$/,
    );
  });
});
