// svc keys rewrap over a real database. Reliability C6; docs/decisions/database.md.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import {
  aClient,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
} from '../../../test/harness.ts';
import { aPerson } from '../../../test/people/members.ts';
import { mailPlace, queueMail } from '../../engine/steps/mails/queue-mail.ts';
import { totpPlace } from '../../engine/steps/people/second-factor.ts';
import { everyClient } from '../../storage/database/database.ts';
import { openInstallationSecrets } from '../../storage/database/installation-secrets.ts';
import { openSealed, type SealedPlace } from '../../storage/database/sealed.ts';
import { sql } from '../../storage/database/sql.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

const [former, current] = [randomBytes(32), randomBytes(32)];

/** Returns the ports of a process that was started with these keys. */
function portsUnder(kek: Buffer, formerKeks: readonly Buffer[] = []) {
  const keys = { kek, formerKeks, randomBytes };
  return portsFor(db.database, {
    sealed: openSealed({ database: db.database, ...keys }),
    sealedHere: openInstallationSecrets(keys),
  });
}
const rewrap = (kek: Buffer, formerKeks: readonly Buffer[] = []) =>
  runOn(portsUnder(kek, formerKeks), ['keys', 'rewrap']);

const readEntry = sql<{ actor_kind: string; after: object }>(
  't_read_entry',
  "select actor_kind, after from audit_entries where action = 'service_key.replaced'",
);
const setTotp = sql('t_set_totp', 'update users set totp_secret_sealed = $2 where id = $1');
const readTotp = sql<{ sealed: Buffer }>(
  't_read_totp',
  'select totp_secret_sealed as sealed from users where id = $1',
);
const readMail = sql<{ id: string; sealed: Buffer }>(
  't_read_mail',
  "select id, body_sealed as sealed from mails where state = 'waiting'",
);
const addRecord = sql(
  't_add_record',
  `insert into oauth_records (id_sha256, model, payload_sealed, created_at, expires_at)
   values ($1, 'Interaction', $2, now(), now() + interval '1 hour')`,
);
const readRecord = sql<{ sealed: Buffer }>(
  't_read_record',
  'select payload_sealed as sealed from oauth_records where id_sha256 = $1',
);

const readMails = sql<{ id: string; sealed: Buffer }>(
  't_read_mails',
  "select id, body_sealed as sealed from mails where state = 'waiting'",
);
const readTold = sql<{ told: string }>(
  't_read_told',
  `select coalesce(sum((after->>'ownSecrets')::int), 0)::text as told from audit_entries
   where action = 'service_key.replaced'`,
);

const keysOfBefore: Buffer[] = [current, former];

/** Inserts enough mails for several batches, encrypted with a key that is then a former one. */
async function manyMails() {
  const [before, after] = [randomBytes(32), randomBytes(32)];
  keysOfBefore.unshift(before);
  const old = portsUnder(before);
  const mail = { to: 'a@example.test', kind: 'x', subject: 's', text: 't', clientId: null };
  await db.database.transaction(everyClient, async (tx) => {
    for (let count = 0; count < 250; count += 1) await queueMail(tx, mail, old);
  });
  const next = portsUnder(after, [...keysOfBefore]);
  keysOfBefore.unshift(after);
  const renewed = async () => {
    const under = portsUnder(after).sealedHere;
    const canOpen = ({ id, sealed }: { id: string; sealed: Buffer }) => {
      try {
        return under.open(mailPlace(id), sealed) !== '';
      } catch {
        return false;
      }
    };
    return (await db.database.read(readMails, [])).filter(canOpen).length;
  };
  const countNotified = async () => Number((await db.database.read(readTold, []))[0]?.told);
  return { next, renewed, told: countNotified };
}

describe('svc keys rewrap', () => {
  it('C6: every sealed value comes under the current key, and the former one is needed no more', async () => {
    const old = portsUnder(former);
    const { id: clientId } = await aClient(db.database);
    const place: SealedPlace = {
      clientId,
      table: 'gateways',
      rowId: newId(),
      field: 'secret_key',
    };
    const secret = await old.sealed.seal(place, 'sk_test_of_the_gateway');
    const { id: userId } = await aPerson(old);
    await db.database.write(setTotp, [userId, old.sealedHere.seal(totpPlace(userId), 'abcdef')]);
    await db.database.transaction(everyClient, (tx) =>
      queueMail(
        tx,
        { to: 'a@example.test', kind: 'x', subject: 's', text: 't', clientId: null },
        old,
      ),
    );
    const digest = randomBytes(32);
    const recordPlace = { table: 'oauth_records', rowId: digest.toString('hex'), field: 'payload' };
    await db.database.write(addRecord, [digest, old.sealedHere.seal(recordPlace, '{}')]);

    const refused = await rewrap(current);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('which is not configured');
    expect(refused.err).toContain(`users.totp_secret of ${userId} does not open`);

    const done = await rewrap(current, [former]);
    expect(done).toEqual({
      code: 0,
      err: '',
      out:
        'data keys    1 of 1 encrypted again\n' +
        'own secrets  3 of 3 encrypted again\n' +
        'nothing is left under a former key\n',
    });
    expect(await db.database.read(readEntry, [])).toMatchObject([
      { actor_kind: 'operator', after: { dataKeys: 1, ownSecrets: 3 } },
    ]);
    const next = portsUnder(current);
    expect(await next.sealed.open(place, secret)).toBe('sk_test_of_the_gateway');
    const [totp] = await db.database.read(readTotp, [userId]);
    const [mail] = await db.database.read(readMail, []);
    const [record] = await db.database.read(readRecord, [digest]);
    if (!totp || !mail || !record) throw new Error('all are there');
    const { sealedHere } = next;
    expect(sealedHere.open(totpPlace(userId), totp.sealed)).toBe('abcdef');
    expect(sealedHere.open(mailPlace(mail.id), mail.sealed)).toContain('"s"');
    expect(sealedHere.open(recordPlace, record.sealed)).toBe('{}');
    await expect(portsUnder(former).sealed.open(place, secret)).rejects.toThrow('not configured');
    expect(() => old.sealedHere.open(totpPlace(userId), totp.sealed)).toThrow('does not open');

    expect((await rewrap(current)).out).toMatch(/^data keys {4}0 of 1 .*\nown secrets {2}0 of 3 /);
  });

  it('Ctrl-C half-way: 130, says what was done, the audit log as well; run again it goes on', async () => {
    const { next, renewed, told } = await manyMails();
    const before = await told();
    const stopping = new AbortController();
    // Aborts the run when it asks for the id of its first audit entry.
    const newIdThenStop = () => {
      stopping.abort();
      return newId();
    };
    const ports = { ...next, newId: newIdThenStop };
    const { code, out } = await runOn(ports, ['keys', 'rewrap'], {
      signal: stopping.signal,
    });
    expect({ code, out }).toEqual({ code: 130, out: expect.stringContaining('broken off') });
    const done = (await told()) - before;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(250);
    expect(out).toContain(`own secrets  ${done} of `);
    expect(await runOn(next, ['keys', 'rewrap'])).toMatchObject({ code: 0 });
    expect(await renewed()).toBeGreaterThanOrEqual(250);
  });

  it('lost half-way: the audit log tells of what was done, and of nothing else', async () => {
    const { next, renewed, told } = await manyMails();
    const before = await told();
    let entries = 0;
    const newIdOnce = () => {
      entries += 1;
      if (entries > 1) throw new Error('lost');
      return newId();
    };
    await expect(runOn({ ...next, newId: newIdOnce }, ['keys', 'rewrap'])).rejects.toThrow('lost');
    expect(await renewed()).toBeGreaterThan(0);
    // The count includes the key of the one authenticator.
    expect((await told()) - before).toBe((await renewed()) + 1);
    expect(await runOn(next, ['keys', 'rewrap'])).toMatchObject({ code: 0 });
  });

  it('says what it does, and knows no other word', async () => {
    const { code, out } = await runOn(portsUnder(current), ['keys', '--help']);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining('svc keys rewrap'),
    });
    expect((await runOn(portsUnder(current), ['keys', 'rewrapp'])).err).toContain(
      'did you mean rewrap?',
    );
  });
});
