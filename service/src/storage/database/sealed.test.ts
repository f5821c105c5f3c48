import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, freshDatabase, newId, type TestDatabase } from '../../../test/harness.ts';
import { everyClient } from './database.ts';
import { kekIdOf, openSealed, type Sealed, type SealedPlace } from './sealed.ts';
import { sql } from './sql.ts';

const kek = randomBytes(32);
const listKeys = sql<{ version: number; kek_id: string; wrapped_key: Buffer }>(
  'test_list_keys',
  'select version, kek_id, wrapped_key from client_keys where client_id = $1',
);
const copyKey = sql(
  'test_copy_key',
  `update client_keys to_key set wrapped_key = from_key.wrapped_key from client_keys from_key
   where from_key.client_id = $1 and to_key.client_id = $2`,
);

const dropKey = sql('test_drop_key', 'delete from client_keys where client_id = $1');
describe('sealed values', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await freshDatabase();
  });
  afterAll(() => db.close());

  const openFresh = (given: Partial<Parameters<typeof openSealed>[0]> = {}) =>
    openSealed({ database: db.database, kek, randomBytes, ...given });

  async function rewrap(sealed: Sealed) {
    const unreadable: string[] = [];
    let renewed = 0;
    for await (const renew of sealed.rewrap(unreadable)) {
      if (renew && (await db.database.transaction(everyClient, renew))) renewed += 1;
    }
    return { renewed, unreadable };
  }

  async function createPlace(): Promise<SealedPlace> {
    const { id } = await aClient(db.database);
    return { clientId: id, table: 'gateways', rowId: newId(), field: 'secret_key' };
  }

  it('open in another process with the same key, whatever the text', async () => {
    const place = await createPlace();
    for (const plain of ['', 'sk_test_1', 'Töpfe ☕ \u0000', 'x'.repeat(100_000)]) {
      const sealed = await openFresh().seal(place, plain);
      expect(await openFresh().open(place, sealed)).toBe(plain);
      if (plain.length > 5) expect(sealed.includes(plain.slice(0, 6))).toBe(false);
    }
  });

  it('never repeat: the same text twice gives two values', async () => {
    const place = await createPlace();
    const sealed = openFresh();
    const many = await Promise.all(Array.from({ length: 50 }, () => sealed.seal(place, 'same')));
    expect(new Set(many.map((value) => value.toString('hex'))).size).toBe(50);
  });

  it('copied to another row, field, table or client, do not open (C4)', async () => {
    const place = await createPlace();
    const other = await createPlace();
    const sealed = openFresh();
    const value = await sealed.seal(place, 'secret');
    await sealed.seal(other, 'makes the other client its key');
    const elsewhere: Partial<SealedPlace>[] = [
      { rowId: newId() },
      { field: 'notice_secret' },
      { table: 'webhook_endpoints' },
      { clientId: other.clientId },
    ];
    for (const change of elsewhere) {
      await expect(sealed.open({ ...place, ...change }, value)).rejects.toThrow('does not open');
    }
    await expect(sealed.open(place, value)).resolves.toBe('secret');
  });

  it('do not open in another client that was given the same data key', async () => {
    const place = await createPlace();
    const other = await createPlace();
    const value = await openFresh().seal(place, 'secret');
    await openFresh().seal(other, 'x');
    await db.database.write(copyKey, [place.clientId, other.clientId]);
    const moved = { ...place, clientId: other.clientId };
    await expect(openFresh().open(moved, value)).rejects.toThrow('does not open the data key');
  });

  it('altered in any one byte, do not open', async () => {
    const place = await createPlace();
    const sealed = openFresh();
    const value = await sealed.seal(place, 'secret');
    for (let index = 0; index < value.length; index++) {
      const altered = Buffer.from(value);
      altered[index] = (altered[index] ?? 0) ^ 1;
      await expect(sealed.open(place, altered)).rejects.toThrow();
    }
    for (const cut of [0, 1, 5, 20, value.length - 1]) {
      await expect(sealed.open(place, value.subarray(0, cut))).rejects.toThrow();
    }
  });

  it('a key-encryption key that is not configured is named in the error, and nothing else is', async () => {
    const place = await createPlace();
    const value = await openFresh().seal(place, 'secret');
    const unknown = openFresh({ kek: randomBytes(32) });
    const named = `"${kekIdOf(kek)}", which is not configured`;
    await expect(unknown.open(place, value)).rejects.toThrow(named);
    await expect(unknown.seal(place, 'more')).rejects.toThrow(named);
  });

  it('an earlier key-encryption key opens what it wrapped and wraps nothing new', async () => {
    const place = await createPlace();
    const value = await openFresh().seal(place, 'secret');
    const kekOfNext = randomBytes(32);
    const next = openFresh({ kek: kekOfNext, formerKeks: [kek] });
    expect(await next.open(place, value)).toBe('secret');
    const later = await createPlace();
    await next.seal(later, 'x');
    const [key] = await db.database.read(listKeys, [later.clientId]);
    expect(key?.kek_id).toBe(kekIdOf(kekOfNext));
  });

  it('C6: wrapped anew, all stays readable to both while it lasts, and the former key opens nothing after', async () => {
    const places = [await createPlace(), await createPlace(), await createPlace()];
    const values = await Promise.all(
      places.map((place) => openFresh().seal(place, place.clientId)),
    );
    const after = randomBytes(32);
    // A process with the old key that also has the next one, and a process with the new key that
    // also has the old one.
    const [old, next] = [
      openFresh({ formerKeks: [after] }),
      openFresh({ kek: after, formerKeks: [kek] }),
    ];
    const readAll = (sealed: Sealed) =>
      Promise.all(places.map((place, at) => sealed.open(place, values[at] ?? Buffer.alloc(0))));
    const [, , { renewed }] = await Promise.all([readAll(old), readAll(next), rewrap(next)]);
    expect(renewed).toBeGreaterThanOrEqual(3);
    const ids = places.map(({ clientId }) => clientId);
    expect(await readAll(openFresh({ formerKeks: [after] }))).toEqual(ids);
    expect(await readAll(openFresh({ kek: after }))).toEqual(ids);
    await expect(readAll(openFresh())).rejects.toThrow('which is not configured');
    expect((await rewrap(next)).renewed).toBe(0);
    // What the key of this file encrypted remains readable with it.
    await rewrap(openFresh({ formerKeks: [after] }));
  });

  it('what no configured key opens is named, and the others are wrapped anew', async () => {
    const [place, lost] = [await createPlace(), await createPlace()];
    const value = await openFresh().seal(place, 'secret');
    await openFresh({ kek: randomBytes(32) }).seal(lost, 'x');
    const after = randomBytes(32);
    const { unreadable } = await rewrap(openFresh({ kek: after, formerKeks: [kek] }));
    expect(unreadable).toContainEqual(expect.stringContaining(`of client ${lost.clientId}`));
    expect(await openFresh({ kek: after }).open(place, value)).toBe('secret');
    await rewrap(openFresh({ formerKeks: [after] }));
    await db.database.write(dropKey, [lost.clientId]);
  });

  it('many first uses at once, in several processes, make one data key', async () => {
    const place = await createPlace();
    const processes = Array.from({ length: 6 }, () => openFresh());
    const values = await Promise.all(
      processes.flatMap((sealed) => [sealed.seal(place, 'a'), sealed.seal(place, 'a')]),
    );
    expect(await db.database.read(listKeys, [place.clientId])).toHaveLength(1);
    const reader = openFresh();
    for (const value of values) expect(await reader.open(place, value)).toBe('a');
  });

  it('a failed look-up is not remembered', async () => {
    const { clientId } = await createPlace();
    const sealed = openFresh();
    const place = { clientId: newId(), table: 'gateways', rowId: newId(), field: 'secret_key' };
    await expect(sealed.seal(place, 'x')).rejects.toThrow();
    await aClient(db.database, { id: place.clientId });
    const value = await sealed.seal(place, 'x');
    expect(await sealed.open(place, value)).toBe('x');
    expect(clientId).not.toBe(place.clientId);
  });

  it('a key-encryption key of another length is refused at once', () => {
    expect(() => openFresh({ kek: randomBytes(16) })).toThrow('must have 32 bytes');
  });

  it('the stored data key shows nothing of the key', async () => {
    const place = await createPlace();
    await openFresh().seal(place, 'x');
    const [key] = await db.database.read(listKeys, [place.clientId]);
    expect(key?.wrapped_key).toHaveLength(12 + 32 + 16);
  });
});
