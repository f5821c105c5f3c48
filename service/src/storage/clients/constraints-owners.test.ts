// What the database itself refuses about owners: statements as the service's role, as if all of its
// code were wrong.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, freshDatabase, portsFor, type TestDatabase } from '../../../test/harness.ts';
import { aMemberOf } from '../../../test/people/members.ts';

let db: TestDatabase;
let one: pg.Client;
let two: pg.Client;
beforeAll(async () => {
  db = await freshDatabase();
  one = new pg.Client({ connectionString: db.url });
  two = new pg.Client({ connectionString: db.url });
  await Promise.all([one.connect(), two.connect()]);
});
afterAll(async () => {
  await Promise.all([one?.end(), two?.end()]);
  await db?.close();
});

async function aFirm(owners: number) {
  const client = await aClient(db.database);
  const ports = portsFor(db.database);
  const people: string[] = [];
  for (let n = 0; n < owners; n++) {
    people.push((await aMemberOf(ports, client, { role: 'owner' })).id);
  }
  await aMemberOf(ports, client, { role: 'admin' });
  return { clientId: client.id, people };
}

const owners = async (clientId: string): Promise<number> => {
  const { rows } = await one.query(
    `select count(*)::int as n from memberships where client_id = $1 and role = 'owner'`,
    [clientId],
  );
  return rows[0].n;
};

const kept = { code: '23000', constraint: 'keeps_an_owner' };

describe('the last owner', () => {
  it.each([
    ['delete from memberships where client_id = $1'],
    [`delete from memberships where client_id = $1 and role = 'owner'`],
    [`update memberships set role = 'admin' where client_id = $1`],
    [`update memberships set role = 'member' where client_id = $1 and role = 'owner'`],
  ])('cannot go by: %s', async (text) => {
    const { clientId } = await aFirm(2);
    await expect(one.query(text, [clientId])).rejects.toMatchObject(kept);
    expect(await owners(clientId)).toBe(2);
  });

  it('is the last one who may sign in: a disabled one beside them does not count', async () => {
    const { clientId, people } = await aFirm(2);
    await one.query('update users set disabled_at = now() where id = $1', [people[0]]);
    const remove = 'delete from memberships where client_id = $1 and user_id = $2';
    await expect(one.query(remove, [clientId, people[1]])).rejects.toMatchObject(kept);
    await one.query(remove, [clientId, people[0]]);
    expect(await owners(clientId)).toBe(1);
  });

  it('cannot be moved to another client, nor lost in a transaction of another one', async () => {
    const { clientId } = await aFirm(1);
    const other = await aFirm(1);
    const move = `update memberships set client_id = $2 where client_id = $1 and role = 'owner'`;
    await expect(one.query(move, [clientId, other.clientId])).rejects.toMatchObject(kept);
    await one.query('begin');
    await one.query('delete from memberships where client_id = $1', [clientId]);
    await one.query(`set local svc.client = '${other.clientId}'`);
    await expect(one.query('commit')).rejects.toMatchObject(kept);
    expect(await owners(clientId)).toBe(1);
  });

  it('cannot be emptied away, nor can its guard be switched off', async () => {
    for (const text of [
      'truncate memberships',
      'alter table memberships disable trigger all',
      'drop trigger keeps_an_owner_when_one_leaves on memberships',
      `set session_replication_role = 'replica'`,
    ])
      await expect(one.query(text)).rejects.toMatchObject({ code: '42501' });
  });

  it('two who go at once, each in a transaction of its own: the second commit fails, 50 times', async () => {
    const ends: string[] = [];
    for (let round = 0; round < 50; round++) {
      const { clientId, people } = await aFirm(2);
      await Promise.all([one.query('begin'), two.query('begin')]);
      const go = 'delete from memberships where client_id = $1 and user_id = $2';
      const less = `update memberships set role = 'admin' where client_id = $1 and user_id = $2`;
      await one.query(go, [clientId, people[0]]);
      await two.query(round % 2 ? go : less, [clientId, people[1]]);
      const results = await Promise.allSettled([one.query('commit'), two.query('commit')]);
      const refused = results.filter(({ status }) => status === 'rejected').length;
      ends.push(`${refused} refused, ${await owners(clientId)} left`);
    }
    expect([...new Set(ends)]).toEqual(['1 refused, 1 left']);
  });

  it.each(['repeatable read', 'serializable'])(
    'is not judged by an old picture: %s',
    async (level) => {
      const { clientId, people } = await aFirm(2);
      await one.query(`begin isolation level ${level}`);
      await one.query('delete from memberships where client_id = $1 and user_id = $2', [
        clientId,
        people[0],
      ]);
      await expect(one.query('commit')).rejects.toMatchObject({ code: '23000' });
      expect(await owners(clientId)).toBe(2);
    },
  );

  it('may hand over: one goes and another comes in the same transaction, in either order', async () => {
    const { clientId } = await aFirm(1);
    await one.query('begin');
    await one.query(
      `update memberships set role = 'member' where client_id = $1 and role = 'owner'`,
      [clientId],
    );
    await one.query(
      `update memberships set role = 'owner' where client_id = $1 and role = 'admin'`,
      [clientId],
    );
    await one.query('commit');
    expect(await owners(clientId)).toBe(1);
  });
});
