// Tests of mails from the table to an SMTP server on this machine, and of the mails that remain
// when the server fails or is absent.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase, moveClock, portsFor, type TestDatabase } from '../../../../test/harness.ts';
import { type SmtpServer, startSmtp } from '../../../../test/network/smtp.ts';
import { visitorCaller } from '../../../../test/people/members.ts';
import { listSandboxMails } from '../../../operations/mails/list-sandbox-mails.ts';
import { openMail } from '../../../providers/mail.ts';
import { everyClient } from '../../../storage/database/database.ts';
import { sql } from '../../../storage/database/sql.ts';
import { claimMails, finishMail } from '../../../storage/mails/mails.ts';
import { guardPorts } from '../../guard-ports.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports } from '../../ports.ts';
import { queueMail } from '../../steps/mails/queue-mail.ts';
import { sendDueMails } from './send-due-mails.ts';

let db: TestDatabase;
let smtp: SmtpServer;
let ports: Ports;
beforeAll(async () => {
  db = await freshDatabase({ poolSize: 12 });
});
afterAll(() => db?.close());
beforeEach(async () => {
  smtp = await startSmtp();
  const url = `smtp://127.0.0.1:${smtp.port}`;
  ports = guardPorts(portsFor(db.database, { mail: openMail({ url, from: 'pay@shop.example' }) }));
  await db.database.write(sql(`t_empty_${++count}`, 'delete from mails'), []);
});
afterEach(() => smtp?.close());

let count = 0;
const canary = 'Canary-5d0e';
const queue = (to: string) =>
  db.database.transaction(everyClient, (tx) =>
    queueMail(
      tx,
      { to, kind: 'reset', subject: 'Reset', text: `#${canary}`, clientId: null },
      ports,
    ),
  );
const stored = sql<{ state: string; attempts: number; last_error: string | null; has: boolean }>(
  't_mails',
  `select state, attempts, last_error, body_sealed is not null as has from mails order by id`,
);
const rows = () => db.database.read(stored, []);
const minute = 60_000;

describe('sendDueMails', () => {
  it('sends each once and wipes its words', async () => {
    await queue('one@example.test');
    await queue('two@example.test');
    const ends = await sendDueMails(ports);
    expect(ends.map(({ outcome }) => outcome)).toEqual(['sent', 'sent']);
    expect(await sendDueMails(ports)).toEqual([]);
    expect(smtp.received.map(({ to }) => to[0]).sort()).toEqual([
      'one@example.test',
      'two@example.test',
    ]);
    expect(await rows()).toEqual(
      Array(2).fill({ state: 'sent', attempts: 1, last_error: null, has: false }),
    );
  });

  it('two processes at once: nobody reads a mail twice', async () => {
    for (let n = 0; n < 8; n++) await queue(`reader-${n}@example.test`);
    await Promise.all([sendDueMails(ports), sendDueMails(ports)]);
    expect(new Set(smtp.received.map(({ to }) => to[0])).size).toBe(8);
    expect(smtp.received).toHaveLength(8);
  });

  it('a failure puts it off, longer each time; success ends it', async () => {
    await queue('slow@example.test');
    smtp.fail('RCPT', '451 later', 2);
    expect(await sendDueMails(ports)).toMatchObject([{ outcome: 'postponed', attempt: 1 }]);
    expect(await sendDueMails(ports)).toEqual([]);
    await moveClock(db.database, minute);
    expect(await sendDueMails(ports)).toMatchObject([{ outcome: 'postponed', attempt: 2 }]);
    await moveClock(db.database, 4 * minute);
    expect(await sendDueMails(ports)).toEqual([]);
    await moveClock(db.database, minute);
    expect(await sendDueMails(ports)).toMatchObject([{ outcome: 'sent', attempt: 3 }]);
    expect(smtp.received).toHaveLength(1);
  });

  it('a mailbox that is not there ends it at once', async () => {
    await queue('nobody@example.test');
    smtp.fail('RCPT', '550 nobody of that name');
    expect(await sendDueMails(ports)).toMatchObject([{ outcome: 'given_up' }]);
    expect(await rows()).toEqual([
      { state: 'given_up', attempts: 1, last_error: 'EENVELOPE 550', has: false },
    ]);
  });

  it('gives up after three days, and wipes the words', async () => {
    await queue('late@example.test');
    await smtp.close();
    let attempts = 0;
    for (let hour = 0; hour < 80; hour++) {
      attempts += (await sendDueMails(ports)).length;
      await moveClock(db.database, 60 * minute);
    }
    expect(attempts).toBeGreaterThan(8);
    expect(await rows()).toMatchObject([{ state: 'given_up', has: false }]);
    smtp = await startSmtp();
  });

  it('who lost the lease changes nothing; the mail goes out again under its id', async () => {
    await queue('twice@example.test');
    const [held] = await claimMails(db.database, 1);
    expect(await sendDueMails(ports)).toEqual([]);
    await moveClock(db.database, 2 * minute);
    expect(await sendDueMails(ports)).toMatchObject([{ outcome: 'sent', id: held!.id }]);
    const late = { state: 'given_up', error: 'late' } as const;
    expect(await finishMail(db.database, held!, late)).toBe(false);
    expect(await rows()).toMatchObject([{ state: 'sent' }]);
  });

  it('words under another key are given up, and nothing is sent', async () => {
    await queue('other@example.test');
    const sealedHere = {
      ...ports.sealedHere,
      open: () =>
        ports.sealedHere.open({ table: 'mails', rowId: 'x', field: 'body' }, Buffer.alloc(64, 1)),
    };
    expect(await sendDueMails({ ...ports, sealedHere })).toMatchObject([
      { outcome: 'given_up', error: 'words_unreadable' },
    ]);
    expect(smtp.received).toEqual([]);
  });

  it('without SMTP nothing is sent, and what is too old is wiped all the same', async () => {
    const silent = { ...ports, mail: null };
    await queue('waiting@example.test');
    expect(await sendDueMails(silent)).toEqual([]);
    expect(await rows()).toMatchObject([{ state: 'waiting', has: true }]);
    await moveClock(db.database, 73 * 60 * minute);
    await sendDueMails(silent);
    expect(await rows()).toEqual([
      { state: 'given_up', attempts: 0, last_error: 'not_sent', has: false },
    ]);
  });
});

describe('listSandboxMails', () => {
  const listMails = (caller: Caller, given: Partial<Ports> = {}) =>
    listSandboxMails({}, caller, { ...ports, mail: null, ...given }, refuse);
  const settings = (more: Partial<Ports['settings']>) => ({
    settings: { ...ports.settings, ...more },
  });

  it('200: the newest first, with their words', async () => {
    await queue('one@example.test');
    await moveClock(db.database, 1000);
    await queue('two@example.test');
    const { body } = (await listMails(visitorCaller())) as { body: { data: object[] } };
    expect(body.data).toMatchObject([
      { to: 'two@example.test', kind: 'reset', subject: 'Reset', text: `#${canary}\n` },
      { to: 'one@example.test' },
    ]);
  });

  it.each<[string, Caller, () => Partial<Ports>]>([
    ['from another machine', visitorCaller('192.0.2.7'), () => ({})],
    ['from an address that only begins alike', visitorCaller('127.0.0.1.example'), () => ({})],
    ['from nowhere known', { ...visitorCaller(), address: '' } as Caller, () => ({})],
    [
      'behind a public address',
      visitorCaller(),
      () => settings({ baseUrl: 'https://pay.example' }),
    ],
    ['in test mode', visitorCaller(), () => settings({ mode: 'test' })],
    ['in live mode', visitorCaller(), () => settings({ mode: 'live', isLive: true })],
    ['where mails are sent', visitorCaller(), () => ({ mail: ports.mail })],
  ])('404 route_not_found: %s', async (_why, caller, given) => {
    await queue('one@example.test');
    await expect(listMails(caller, given())).rejects.toMatchObject({ code: 'route_not_found' });
  });

  it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])(
    '200 from %s',
    async (address) => {
      expect(await listMails(visitorCaller(address))).toMatchObject({ status: 200 });
    },
  );
});
