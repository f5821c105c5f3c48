// The fixture of a run: a database, workers, a receiver, the virtual clock, and merchants with
// endpoints of every behaviour.

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { newWebhookSecret } from '../../service/src/domain/protocol/webhook-secret.ts';
import { type Database, openDatabase } from '../../service/src/storage/database/database.ts';
import { migrate } from '../../service/src/storage/database/migrate.ts';
import { openSealed, type Sealed } from '../../service/src/storage/database/sealed.ts';
import {
  insertWebhookEndpoint,
  webhookSecretPlace,
} from '../../service/src/storage/webhooks/webhook-endpoints.ts';
import {
  aClient,
  aToken,
  freshDatabase,
  newId,
  type TestToken,
} from '../../service/test/harness.ts';
import { type DurableDatabase, openDurableDatabase } from '../chaos/durable-database.ts';
import type { Random } from '../kit/random.ts';
import type { Count } from '../kit/run-seeds.ts';
import { ClockHistory } from './clock-history.ts';
import {
  drawSoundKinds,
  type EndpointKind,
  type TargetKind,
  troubledEndpointsOf,
} from './receiver-behaviour.ts';
import { ReceiverProcess, Workers } from './workers.ts';

export type Fixture = {
  readonly url: string;
  readonly database: Database;
  /** Connections as the owner of the tables: they move the clock and read everything. */
  readonly owner: pg.Pool;
  /** The database server that can be crashed; null when the run has none. */
  readonly durable: DurableDatabase | null;
  readonly sealed: Sealed;
  readonly workers: Workers;
  readonly receiver: ReceiverProcess;
  readonly time: ClockHistory;
  close(): Promise<void>;
};

type FixtureOptions = {
  readonly isDurable: boolean;
  readonly onStrike: () => void;
  readonly count: Count;
};

/**
 * Records what each claim found: null when nobody held the delivery, otherwise the end of its
 * lease.
 */
const logClaims = `
  create table proof_claims (event_id uuid, endpoint_id uuid, found timestamptz, lease_until timestamptz);
  create function proof_log_claim() returns trigger language plpgsql security definer as $$
  begin
    insert into proof_claims values (new.event_id, new.endpoint_id, old.lease_until, new.lease_until);
    return null;
  end $$;
  create trigger proof_log_claim after update on webhook_deliveries for each row
    when (new.epoch > old.epoch and new.lease_until is not null) execute function proof_log_claim()`;

export async function openFixture({
  isDurable,
  onStrike,
  count,
}: FixtureOptions): Promise<Fixture> {
  const durable = isDurable ? await openDurableDatabase() : null;
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    if (durable) {
      closing.push(() => durable.close());
      await migrate(durable.ownerUrl);
    }
    const fresh = durable ? null : await freshDatabase();
    if (fresh) closing.push(() => fresh.close());
    const { url, ownerUrl } = durable ?? (fresh as { url: string; ownerUrl: string });
    const database = openDatabase({ url, poolSize: 12 });
    closing.push(() => database.close());
    const owner = new pg.Pool({ connectionString: ownerUrl, max: 3 });
    owner.on('error', () => undefined);
    closing.push(() => owner.end());
    await owner.query(logClaims);
    const kek = randomBytes(32);
    const plan = { url, kek: kek.toString('base64'), movingShare: 0.3 };
    const workers = new Workers(plan, (text) => count(`logged: ${text}`));
    closing.push(() => workers.close());
    const receiver = new ReceiverProcess(onStrike);
    closing.push(() => receiver.close());
    await receiver.open();
    workers.open(2);
    const sealed = openSealed({ database, kek, randomBytes });
    const time = new ClockHistory(owner);
    return { url, database, owner, durable, sealed, workers, receiver, time, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export type Endpoint = EndpointKind & {
  readonly id: string;
  /** The number in the endpoint's URL and in the receiver's log. */
  readonly number: number;
  /** True when the endpoint must get every event of its types. */
  readonly isSound: boolean;
  /** The subscribed event types; null for all. */
  readonly types: readonly string[] | null;
};

export type Merchant = {
  readonly id: string;
  readonly token: TestToken;
  readonly endpoints: readonly Endpoint[];
};

export const usualType = 'dispute.updated';
/**
 * The only type that the failing endpoints get: each of their deliveries takes its ten attempts.
 */
export const rareType = 'dispute.closed';

const disabledType = 'webhook_endpoint.disabled';

/** The steady endpoint gets every type, including events about the health of other endpoints. */
const typesOf = ({ isSound, temper }: Pick<Endpoint, 'isSound' | 'temper'>): string[] | null => {
  if (!isSound) return [rareType];
  return Object.keys(temper).length === 0 ? null : [usualType, rareType, disabledType];
};

const originOf = (way: TargetKind, port: number): string => {
  const hosts = { plain: '127.0.0.1', moving: 'moving.test', hidden: 'hidden.test' };
  return way === 'tls' ? `https://127.0.0.1:${port}` : `http://${hosts[way]}:${port}`;
};

let lastNumber = 0;

/** Creates merchants with endpoints that the receiver serves. */
export async function openMerchants(
  fixture: Fixture,
  count: number,
  random: Random,
): Promise<Merchant[]> {
  const merchants: Merchant[] = [];
  for (let n = 0; n < count; n++) {
    const client = await aClient(fixture.database);
    const token = await aToken(fixture.database, client);
    const sound = drawSoundKinds(random).map((kind) => ({ ...kind, isSound: true }));
    const kinds = [
      ...sound,
      ...troubledEndpointsOf(n).map((kind) => ({ ...kind, isSound: false })),
    ];
    const endpoints: Endpoint[] = [];
    for (const kind of kinds) endpoints.push(await openEndpoint(fixture, { client, kind, random }));
    merchants.push({ id: client.id, token, endpoints });
  }
  return merchants;
}

type EndpointPlan = {
  readonly client: { readonly id: string };
  readonly kind: EndpointKind & { readonly isSound: boolean };
  readonly random: Random;
};

async function openEndpoint(fixture: Fixture, { client, kind, random }: EndpointPlan) {
  const id = newId();
  const number = ++lastNumber;
  const types = typesOf(kind);
  const secret = newWebhookSecret(randomBytes(32));
  const place = webhookSecretPlace(client.id, id);
  const secretSealed = await fixture.sealed.seal(place, secret);
  await fixture.database.transaction(client.id, (tx) =>
    insertWebhookEndpoint(tx, {
      id,
      clientId: client.id,
      url: `${originOf(kind.way, fixture.receiver.port)}/e/${number}`,
      eventTypes: types,
      secretSealed,
      apiVersion: '2026-11-21',
    }),
  );
  const seed = random.whole(0, 2 ** 31);
  fixture.receiver.listen([{ number, secret, temper: kind.temper, seed }]);
  return { ...kind, id, number, types };
}
