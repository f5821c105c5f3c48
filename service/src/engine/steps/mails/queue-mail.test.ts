import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, freshDatabase, portsFor, type TestDatabase } from '../../../../test/harness.ts';
import { everyClient } from '../../../storage/database/database.ts';
import { claimMails } from '../../../storage/mails/mails.ts';
import { mailPlace, queueMail } from './queue-mail.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

const link = 'https://pay.example/account/reset#Canary-3fd1';

describe('queueMail', () => {
  it('leaves one mail with the transaction, and none without it', async () => {
    const ports = portsFor(db.database);
    const { id: clientId } = await aClient(db.database);
    const mail = { to: 'ada@example.test', kind: 'invitation', subject: 'Join', text: link };
    await expect(
      db.database.transaction(clientId, async (tx) => {
        await queueMail(tx, { ...mail, clientId }, ports);
        throw new Error('nothing of this');
      }),
    ).rejects.toThrow('nothing of this');
    expect(await claimMails(db.database, 10)).toEqual([]);
    await db.database.transaction(clientId, (tx) => queueMail(tx, { ...mail, clientId }, ports));
    await db.database.transaction(everyClient, (tx) =>
      queueMail(tx, { ...mail, clientId: null }, ports),
    );
    const claimed = await claimMails(db.database, 10);
    expect(claimed.map(({ recipient, kind }) => [recipient, kind])).toEqual([
      ['ada@example.test', 'invitation'],
      ['ada@example.test', 'invitation'],
    ]);
  });

  it('the words are not readable in the table, and open only where they belong', async () => {
    const ports = portsFor(db.database);
    await db.database.transaction(everyClient, async (tx) => {
      for (const to of ['one@example.test', 'two@example.test'])
        await queueMail(
          tx,
          { to, kind: 'reset', subject: 'Reset', text: link, clientId: null },
          ports,
        );
    });
    const [one, two] = await claimMails(db.database, 10);
    expect(one!.bodySealed.includes('Canary')).toBe(false);
    const opened = ports.sealedHere.open(mailPlace(one!.id), one!.bodySealed);
    expect(JSON.parse(opened)).toEqual({ subject: 'Reset', text: `${link}\n` });
    expect(() => ports.sealedHere.open(mailPlace(two!.id), one!.bodySealed)).toThrow('not open');
  });
});
