// Sealed secrets of clients: a key-encryption key (KEK) from the configuration wraps one data key
// per client, and the data key seals values bound to their place. Reliability §5.7.
import assert from 'node:assert';
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { Database, Tx } from './database.ts';
import { sql } from './sql.ts';

/** The place of a sealed value; it is bound into the ciphertext, so that a copy does not open elsewhere. */
export type SealedPlace = {
  readonly clientId: string;
  readonly table: string;
  readonly rowId: string;
  readonly field: string;
};

/** Envelope encryption: a key-encryption key wraps one data key per client. */
export type Sealed = {
  seal(place: SealedPlace, plain: string): Promise<Buffer>;
  open(place: SealedPlace, sealed: Buffer): Promise<string>;
  /**
   * Yields every data key, to be wrapped under the current key when another one wrapped it; the
   * sealed values themselves do not change. Data keys that no configured key opens are named in
   * `unreadable`.
   */
  rewrap(unreadable: string[]): AsyncIterable<Renewal>;
};

/**
 * Writes a value under the current key and resolves to false when the value changed meanwhile; null
 * when nothing has to be written.
 */
export type Renewal = ((tx: Tx) => Promise<boolean>) | null;

export type SealedSettings = {
  readonly database: Database;
  /** 32 bytes; wraps new data keys. */
  readonly kek: Buffer;
  /** Earlier keys of 32 bytes, used only to unwrap. */
  readonly formerKeks?: readonly Buffer[];
  randomBytes(size: number): Buffer;
};

/**
 * The id stored beside a wrapped key, so that the wrapping key is known; it reveals nothing about
 * the key.
 */
export const kekIdOf = (kek: Buffer): string =>
  `k-${createHash('sha256').update('svc kek id v1').update(kek).digest('hex').slice(0, 16)}`;

/**
 * Thrown when a sealed value or data key cannot be opened; the message names it, and never contains
 * its content.
 */
export class SealedUnreadable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SealedUnreadable';
  }
}

/** Returns undefined, and adds the message to `unreadable`, when the value cannot be opened. */
export function readable<T>(open: () => T, unreadable: string[]): T | undefined {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof SealedUnreadable)) throw error;
    unreadable.push(error.message);
    return undefined;
  }
}

const keyLength = 32;
const nonceLength = 12;
const tagLength = 16;
const algorithm = 'aes-256-gcm';

type CipherKey = { readonly key: Buffer; readonly aad: string };

function encrypt({ key, aad }: CipherKey, nonce: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagLength });
  cipher.setAAD(Buffer.from(aad));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Returns undefined when the key, the place or a single bit is wrong. */
function decrypt({ key, aad }: CipherKey, boxed: Buffer): Buffer | undefined {
  if (boxed.length < nonceLength + tagLength) return undefined;
  const nonce = boxed.subarray(0, nonceLength);
  const end = boxed.length - tagLength;
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength });
  decipher.setAAD(Buffer.from(aad));
  decipher.setAuthTag(boxed.subarray(end));
  try {
    return Buffer.concat([decipher.update(boxed.subarray(nonceLength, end)), decipher.final()]);
  } catch {
    return undefined;
  }
}

// Ids are bound in lower case, as the database writes them, whatever case the caller uses.
function associatedData(place: SealedPlace, version: number): string {
  const parts = [
    'v1',
    place.table,
    place.rowId.toLowerCase(),
    place.clientId.toLowerCase(),
    place.field,
    String(version),
  ];
  assert(
    parts.every((part) => part !== '' && !part.includes('|')),
    'a place has plain names',
  );
  return parts.join('|');
}

type DataKey = { readonly version: number; readonly key: Buffer };
type KeyRow = { version: number; kek_id: string; wrapped_key: Buffer };

const addKey = sql(
  'sealed.add_key',
  `insert into client_keys (client_id, version, kek_id, wrapped_key, created_at)
   values ($1, 1, $2, $3, svc_clock()) on conflict do nothing`,
);

const findKey = sql<KeyRow>(
  'sealed.find_key',
  `select version, kek_id, wrapped_key from client_keys
   where client_id = $1 and version = coalesce($2::int,
     (select max(version) from client_keys where client_id = $1))`,
);

const listKeys = sql<KeyRow & { client_id: string }>(
  'sealed.list_keys',
  'select client_id, version, kek_id, wrapped_key from client_keys order by client_id, version',
);

const replaceKey = sql<{ version: number }>(
  'sealed.replace_key',
  `update client_keys set kek_id = $3, wrapped_key = $4
   where client_id = $1 and version = $2 and wrapped_key = $5 returning version`,
);

const wrappingAad = (clientId: string, version: number, kekId: string): string =>
  `v1|client_keys|${clientId.toLowerCase()}|${version}|${kekId}`;

const maxCached = 10_000;

/**
 * Seals with the client's newest data key and opens with the one that the value names. The client
 * must be committed and the row's id known before a value is sealed: both are bound in.
 */
export function openSealed(settings: SealedSettings): Sealed {
  const keys = new DataKeys(settings);
  return {
    async seal(place, plain) {
      const { version, key } = await keys.newest(place.clientId);
      const head = Buffer.alloc(5);
      head.writeUInt8(1, 0);
      head.writeUInt32BE(version, 1);
      const box = { key, aad: associatedData(place, version) };
      const nonce = settings.randomBytes(nonceLength);
      return Buffer.concat([head, encrypt(box, nonce, Buffer.from(plain, 'utf8'))]);
    },
    async open(place, sealed) {
      const name = `${place.table}.${place.field} of ${place.rowId}`;
      if (sealed.length < 5 || sealed.readUInt8(0) !== 1) {
        throw new SealedUnreadable(`${name} is not a sealed value`);
      }
      const version = sealed.readUInt32BE(1);
      const key = await keys.ofVersion(place.clientId, version);
      const plain =
        key && decrypt({ key, aad: associatedData(place, version) }, sealed.subarray(5));
      if (!plain)
        throw new SealedUnreadable(`${name} does not open: altered, or not its own value`);
      return plain.toString('utf8');
    },
    rewrap: (unreadable) => keys.rewrap(unreadable),
  };
}

class DataKeys {
  readonly #settings: SealedSettings;
  readonly #kekId: string;
  readonly #keks: ReadonlyMap<string, Buffer>;
  readonly #cache = new Map<string, Promise<DataKey | undefined>>();

  constructor(settings: SealedSettings) {
    this.#settings = settings;
    const all = [settings.kek, ...(settings.formerKeks ?? [])];
    this.#keks = new Map(all.map((kek) => [kekIdOf(kek), kek]));
    this.#kekId = kekIdOf(settings.kek);
    for (const [id, kek] of this.#keks) {
      assert(kek.length === keyLength, `key-encryption key "${id}" must have 32 bytes`);
    }
  }

  async newest(clientId: string): Promise<DataKey> {
    const found = await this.#cached(
      `${clientId}`,
      async () => (await this.#find(clientId, null)) ?? this.#create(clientId),
    );
    assert(found, 'a data key was found or made');
    return found;
  }

  async ofVersion(clientId: string, version: number): Promise<Buffer | undefined> {
    const find = () => this.#find(clientId, version);
    return (await this.#cached(`${clientId}|${version}`, find))?.key;
  }

  /** Shares one look-up among concurrent callers; a look-up that failed or found nothing is not cached. */
  #cached(name: string, find: () => Promise<DataKey | undefined>): Promise<DataKey | undefined> {
    const known = this.#cache.get(name);
    if (known) return known;
    const forgetFresh = () => {
      if (this.#cache.get(name) === fresh) this.#cache.delete(name);
    };
    const fresh = find();
    this.#cache.set(name, fresh);
    fresh.then((found) => found ?? forgetFresh(), forgetFresh);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > maxCached && oldest !== undefined) this.#cache.delete(oldest);
    return fresh;
  }

  async #find(clientId: string, version: number | null): Promise<DataKey | undefined> {
    const [row] = await this.#settings.database.read(findKey, [clientId, version]);
    return row && { version: row.version, key: this.#unwrap(clientId, row) };
  }

  /** Several processes may create the key of one client: the first insert wins and all of them read it. */
  async #create(clientId: string): Promise<DataKey | undefined> {
    const { database, randomBytes } = this.#settings;
    const wrapped = this.#wrap(clientId, 1, randomBytes(keyLength));
    await database.write(addKey, [clientId, this.#kekId, wrapped]);
    return this.#find(clientId, null);
  }

  /** Safe while other processes are at work: neither the data keys nor the values sealed with them change. */
  async *rewrap(unreadable: string[]): AsyncGenerator<Renewal> {
    for (const row of await this.#settings.database.read(listKeys, [])) {
      const { client_id: clientId, version, kek_id: kekId, wrapped_key: former } = row;
      const isCurrent = kekId === this.#kekId;
      const key = isCurrent ? undefined : readable(() => this.#unwrap(clientId, row), unreadable);
      if (!key) {
        yield null;
        continue;
      }
      const values = [clientId, version, this.#kekId, this.#wrap(clientId, version, key), former];
      yield async (tx) => (await tx.query(replaceKey, values)).length > 0;
    }
  }

  #wrap(clientId: string, version: number, key: Buffer): Buffer {
    const { kek, randomBytes } = this.#settings;
    const box = { key: kek, aad: wrappingAad(clientId, version, this.#kekId) };
    return encrypt(box, randomBytes(nonceLength), key);
  }

  #unwrap(clientId: string, row: KeyRow): Buffer {
    const kek = this.#keks.get(row.kek_id);
    if (!kek) {
      throw new SealedUnreadable(
        `the data key of client ${clientId} is wrapped by key-encryption key "${row.kek_id}", ` +
          'which is not configured',
      );
    }
    const aad = wrappingAad(clientId, row.version, row.kek_id);
    const key = decrypt({ key: kek, aad }, row.wrapped_key);
    if (!key) {
      throw new SealedUnreadable(
        `key-encryption key "${row.kek_id}" does not open the data key of client ${clientId}: ` +
          'it is not the key that this database was filled with',
      );
    }
    return key;
  }
}
