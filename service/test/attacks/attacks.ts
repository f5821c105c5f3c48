// Plain SQL without any of our code: connections as the service's role and as the owner of the
// tables.

import pg from 'pg';
import {
  aClient,
  aGateway,
  freshDatabase,
  newId,
  type TestClient,
  type TestDatabase,
  type TestGateway,
} from '../harness.ts';

export const roles = ['service', 'owner'] as const;
export type Role = (typeof roles)[number];
export type AttackOptions = Record<string, unknown>;

export type Attacks = {
  readonly db: TestDatabase;
  readonly client: TestClient;
  readonly gateway: TestGateway;
  readonly as: Readonly<Record<Role, pg.Client>>;
  /** Inserts a row; the keys are column names. */
  put(role: Role, table: string, row: AttackOptions): Promise<void>;
  /** Inserts a payment, an authorised purchase by default, and returns its id. */
  aRow(role: Role, given?: AttackOptions): Promise<string>;
  anEvent(role: Role, resourceId: string, given?: AttackOptions): Promise<void>;
  rollBack(): Promise<void>;
  close(): Promise<void>;
};

const at = '2026-01-01T00:00:00Z';

export async function openAttacks(): Promise<Attacks> {
  const db = await freshDatabase();
  const client = await aClient(db.database);
  const gateway = await aGateway(db.database, client);
  const as = {
    service: new pg.Client({ connectionString: db.url }),
    owner: new pg.Client({ connectionString: db.ownerUrl }),
  };
  const all = Object.values(as);
  await Promise.all(all.map((one) => one.connect()));
  const putRow = async (role: Role, table: string, row: AttackOptions): Promise<void> => {
    const names = Object.keys(row);
    const places = names.map((_, index) => `$${index + 1}`);
    const text = `insert into ${table} (${names.join(', ')}) values (${places.join(', ')})`;
    await as[role].query(text, Object.values(row));
  };
  return {
    db,
    client,
    gateway,
    as,
    put: putRow,
    async aRow(role, given = {}) {
      const id = newId();
      await putRow(role, 'payments', {
        id,
        client_id: client.id,
        gateway_id: gateway.id,
        provider: 'cardprovider',
        type: 'purchase',
        amount_minor: 1990,
        currency: 'EUR',
        capture_method: 'manual',
        status: 'authorized',
        is_live: false,
        created_at: at,
        updated_at: at,
        ...given,
      });
      return id;
    },
    anEvent: (role, resourceId, given = {}) =>
      putRow(role, 'events', {
        id: newId(),
        client_id: client.id,
        type: 'payment.authorized',
        resource_type: 'payment',
        resource_id: resourceId,
        sequence: 1,
        payload: '{}',
        created_at: at,
        ...given,
      }),
    rollBack: async () => void (await Promise.all(all.map((one) => one.query('rollback')))),
    async close() {
      await Promise.all(all.map((one) => one.end()));
      await db.close();
    },
  };
}
