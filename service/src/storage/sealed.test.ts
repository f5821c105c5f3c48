import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, freshDatabase, newId, type TestDatabase } from '../../test/harness.ts';
import { openSealed, type SealedPlace } from './sealed.ts';
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

describe('sealed values', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await freshDatabase();
  });
  afterAll(() => db.close());

  const fresh = (given: Partial<Parameters<typeof openSealed>[0]> = {}) =>
    openSealed({ database: db.database, kek, kekId: 'k1', randomBytes, ...given });

  async function aPlace(): Promise<SealedPlace> {
    const { id } = await aClient(db.database);
    return { clientId: id, table: 'gateways', rowId: newId(), field: 'secret_key' };
  }

  it('open in another process with the same key, whatever the text', async () => {
    const place = await aPlace();
    for (const plain of ['', 'sk_test_1', 'Töpfe ☕ \u0000', 'x'.repeat(100_000)]) {
      const sealed = await fresh().seal(place, plain);
      expect(await fresh().open(place, sealed)).toBe(plain);
      if (plain.length > 5) expect(sealed.includes(plain.slice(0, 6))).toBe(false);
    }
  });

  it('never repeat: the same text twice gives two values', async () => {
    const place = await aPlace();
    const sealed = fresh();
    const many = await Promise.all(Array.from({ length: 50 }, () => sealed.seal(place, 'same')));
    expect(new Set(many.map((value) => value.toString('hex'))).size).toBe(50);
  });

  it('copied to another row, field, table or client, do not open (C4)', async () => {
    const place = await aPlace();
    const other = await aPlace();
    const sealed = fresh();
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
    const place = await aPlace();
    const other = await aPlace();
    const value = await fresh().seal(place, 'secret');
    await fresh().seal(other, 'x');
    await db.database.write(copyKey, [place.clientId, other.clientId]);
    const moved = { ...place, clientId: other.clientId };
    await expect(fresh().open(moved, value)).rejects.toThrow('does not open the data key');
  });

  it('altered in any one byte, do not open', async () => {
    const place = await aPlace();
    const sealed = fresh();
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

  it('a wrong key-encryption key is named in the error, and nothing else is', async () => {
    const place = await aPlace();
    const value = await fresh().seal(place, 'secret');
    const wrong = fresh({ kek: randomBytes(32) });
    await expect(wrong.open(place, value)).rejects.toThrow(
      `key-encryption key "k1" does not open the data key of client ${place.clientId}`,
    );
    const unknown = fresh({ kek: randomBytes(32), kekId: 'k2' });
    await expect(unknown.open(place, value)).rejects.toThrow('"k1", which is not configured');
    await expect(unknown.seal(place, 'more')).rejects.toThrow('"k1", which is not configured');
  });

  it('an earlier key-encryption key opens what it wrapped and wraps nothing new', async () => {
    const place = await aPlace();
    const value = await fresh().seal(place, 'secret');
    const next = fresh({ kek: randomBytes(32), kekId: 'k2', formerKeks: new Map([['k1', kek]]) });
    expect(await next.open(place, value)).toBe('secret');
    const later = await aPlace();
    await next.seal(later, 'x');
    const [key] = await db.database.read(listKeys, [later.clientId]);
    expect(key?.kek_id).toBe('k2');
  });

  it('many first uses at once, in several processes, make one data key', async () => {
    const place = await aPlace();
    const processes = Array.from({ length: 6 }, () => fresh());
    const values = await Promise.all(
      processes.flatMap((sealed) => [sealed.seal(place, 'a'), sealed.seal(place, 'a')]),
    );
    expect(await db.database.read(listKeys, [place.clientId])).toHaveLength(1);
    const reader = fresh();
    for (const value of values) expect(await reader.open(place, value)).toBe('a');
  });

  it('a failed look-up is not remembered', async () => {
    const { clientId } = await aPlace();
    const sealed = fresh();
    const place = { clientId: newId(), table: 'gateways', rowId: newId(), field: 'secret_key' };
    await expect(sealed.seal(place, 'x')).rejects.toThrow();
    await aClient(db.database, { id: place.clientId });
    const value = await sealed.seal(place, 'x');
    expect(await sealed.open(place, value)).toBe('x');
    expect(clientId).not.toBe(place.clientId);
  });

  it('a key-encryption key of another length is refused at once', () => {
    expect(() => fresh({ kek: randomBytes(16) })).toThrow('must have 32 bytes');
  });

  it('the stored data key shows nothing of the key', async () => {
    const place = await aPlace();
    await fresh().seal(place, 'x');
    const [key] = await db.database.read(listKeys, [place.clientId]);
    expect(key?.wrapped_key).toHaveLength(12 + 32 + 16);
  });
});
