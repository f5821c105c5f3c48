// Several merchants and installations on the world's account at the provider, copies of its database among
// them. All of them use the world's vault.

import { randomBytes } from 'node:crypto';
import { copyDatabase } from '@svc/tools/test-database/index';
import { openDatabase } from '../src/storage/database/database.ts';
import { openSealed } from '../src/storage/database/sealed.ts';
import { aClient, aProduct, aToken, freshDatabase, type TestDatabase } from './harness.ts';
import { insertGateway, type World } from './world.ts';

/** Another merchant of the world's database, with a gateway to the same account. */
export async function anotherMerchant(world: World, name: string): Promise<World> {
  const { database, account, ports } = world;
  const client = await aClient(database, { name });
  const token = await aToken(database, client);
  const { sealed } = ports;
  const { gatewayId, noticeSecret } = await insertGateway(world, { client, account, sealed });
  await aProduct(database, client, { code: 'mug', name: 'Mug', prices: { EUR: 1990 } });
  return { ...world, client, token, gatewayId, noticeSecret };
}

const over = (world: World, db: TestDatabase, sealed: World['ports']['sealed']): World => {
  const { database } = db;
  return { ...world, ...db, ports: { ...world.ports, database, sealed } };
};

/** An installation of its own, with a merchant. `close` ends its database. */
export async function anotherInstallation(world: World, name: string): Promise<World> {
  const db = await freshDatabase();
  const sealed = openSealed({ database: db.database, kek: randomBytes(32), randomBytes });
  return anotherMerchant(over(world, db, sealed), name);
}

const nameOf = (url: string) => new URL(url.replace(/@\//, '@socket/')).pathname.slice(1);

/** The world's database as a dump of it is restored. `close` ends the copy. */
export async function aCopy(world: World): Promise<World> {
  const copy = await copyDatabase(nameOf(world.ownerUrl));
  const database = openDatabase({ url: copy.url('svc_service') });
  const db = {
    url: copy.url('svc_service'),
    ownerUrl: copy.url('svc_owner'),
    vaultUrl: copy.url('svc_vault'),
    database,
    async close() {
      await database.close();
      await copy.drop();
    },
  };
  return over(world, db, world.ports.sealed);
}
