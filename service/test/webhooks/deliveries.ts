// The fixture of the delivery tests: a database with one client per test, receivers that are closed
// after it, and reads of the stored deliveries.
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import {
  deliverDue,
  type PassLimits,
} from '../../src/engine/runs/webhook-deliveries/deliver-due.ts';
import type { DeliveryPorts } from '../../src/engine/runs/webhook-deliveries/delivery-ports.ts';
import { sql } from '../../src/storage/database/sql.ts';
import { aClient, freshDatabase, type TestClient, type TestDatabase } from '../harness.ts';
import {
  aReceiver,
  aWebhookEndpoint,
  type DeliveryState,
  deliveryOf,
  deliveryPorts,
  type Receiver,
  type TestEndpoint,
} from './webhooks.ts';

type Row = { id: string };

const readAttempts = sql<{
  attempt: number;
  epoch: number;
  outcome: string;
  http_status: number | null;
  error: string | null;
  response_excerpt: string | null;
}>(
  'test_attempts',
  `select attempt, epoch, outcome, http_status, error, response_excerpt
   from webhook_attempts where event_id = $1 and endpoint_id = $2 order by started_at, epoch`,
);

const readEndpoint = sql<{
  is_enabled: boolean;
  disabled_reason: string | null;
  failing_since: Date | null;
}>(
  'test_endpoint',
  'select is_enabled, disabled_reason, failing_since from webhook_endpoints where id = $1',
);

// In parts: thousands at once take longer than a statement may on a busy machine.
const cancelSome = sql(
  'test_cancel_deliveries',
  `update webhook_deliveries d set state = 'cancelled'
   from (select endpoint_id, event_id from webhook_deliveries where state = 'pending' limit 2000) part
   where d.endpoint_id = part.endpoint_id and d.event_id = part.event_id returning 1`,
);

export const limits: PassLimits = { limit: 50, failingLimit: 25 };

export const tick = () => new Promise((resolve) => setImmediate(resolve));

export class DeliveryFixture {
  #db: TestDatabase | undefined;
  #client: TestClient | undefined;
  #ports: DeliveryPorts | undefined;
  readonly #receivers: Receiver[] = [];

  constructor() {
    beforeAll(async () => {
      this.#db = await freshDatabase();
      this.#ports = deliveryPorts(this.#db.database);
    });
    afterAll(() => this.#db?.close());
    beforeEach(async () => {
      this.#client = await aClient(this.database);
    });
    afterEach(async () => {
      await Promise.all(this.#receivers.splice(0).map((one) => one.close()));
      await this.cancelAll();
    });
  }

  get #open(): TestDatabase {
    if (!this.#db) throw new Error('the test has not begun');
    return this.#db;
  }

  get database(): TestDatabase['database'] {
    return this.#open.database;
  }

  get url(): string {
    return this.#open.url;
  }

  get client(): TestClient {
    if (!this.#client) throw new Error('the test has not begun');
    return this.#client;
  }

  get ports(): DeliveryPorts {
    if (!this.#ports) throw new Error('the test has not begun');
    return this.#ports;
  }

  readonly receiver = async (...given: Parameters<typeof aReceiver>): Promise<Receiver> => {
    const made = await aReceiver(...given);
    this.#receivers.push(made);
    return made;
  };

  /** A receiver that holds its responses until the test sends them. */
  readonly heldReceiver = async (): Promise<Receiver & { held: ServerResponse[] }> => {
    const held: ServerResponse[] = [];
    return { ...(await this.receiver((_, response) => held.push(response))), held };
  };

  readonly endpointAt = (url: string): Promise<TestEndpoint> =>
    aWebhookEndpoint(this.database, this.client, { url });

  readonly stateOf = (event: Row, endpoint: Row): Promise<DeliveryState> =>
    deliveryOf(this.database, event, endpoint);

  readonly attemptsOf = (event: Row, endpoint: Row) =>
    this.database.read(readAttempts, [event.id, endpoint.id]);

  readonly endpointRow = async (endpoint: Row) =>
    (await this.database.read(readEndpoint, [endpoint.id]))[0];

  readonly pass = () => deliverDue(this.ports, limits);

  /** Cancels the deliveries that are still pending. */
  readonly cancelAll = async (): Promise<void> => {
    while ((await this.database.write(cancelSome, [])).length > 0);
  };
}
