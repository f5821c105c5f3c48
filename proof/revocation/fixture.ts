// The fixture of these races: one merchant, and servers of the service that share only its
// database. The last server holds every claim until the gate opens.

import type { Ports } from '../../service/src/engine/ports.ts';
import { type Database, openDatabase } from '../../service/src/storage/database/database.ts';
import { extendGrant } from '../../service/src/storage/oauth/oauth-grants.ts';
import { aToken, type TestToken } from '../../service/test/harness.ts';
import { aGrant } from '../../service/test/people/grants.ts';
import { aSignIn, fromOwnPage } from '../../service/test/people/people.ts';
import { aServer, type TestServer } from '../../service/test/server.ts';
import { startWorld, type World } from '../../service/test/world.ts';
import { type CredentialKind, servers } from './race-plan.ts';

/** Makes claims wait until it is opened. */
export class Gate {
  waiting = 0;
  #open: Promise<void> = Promise.resolve();
  #release: () => void = () => undefined;

  close(): void {
    this.waiting = 0;
    this.#open = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  open(): void {
    this.#release();
  }

  async pass(): Promise<void> {
    this.waiting += 1;
    await this.#open;
  }
}

export type App = TestServer['app'];

export type Fixture = {
  readonly world: World;
  readonly apps: readonly App[];
  /** The server whose claims wait at the gate. */
  readonly stalling: App;
  readonly gate: Gate;
  /** An owner's token, with the scope that programs need to manage members. Contract §6. */
  readonly ownerToken: TestToken;
  close(): Promise<void>;
};

export async function openFixture(): Promise<Fixture> {
  // Long limits, so that a busy machine does not look like a fault of the provider.
  const world = await startWorld({ provider: { budgetMs: 20_000, answerMs: 10_000 } });
  const gate = new Gate();
  const ownerToken = await aToken(world.database, world.client, {
    role: 'owner',
    scopes: ['members:write'],
  });
  const databases = Array.from({ length: servers + 1 }, () =>
    openDatabase({ url: world.url, poolSize: 4 }),
  );
  const opened: TestServer[] = [];
  for (const [index, database] of databases.entries()) {
    const held = index === servers ? holdClaims(database, gate) : database;
    opened.push(await aServer({ ...world.ports, database: held }));
  }
  const apps = opened.map(({ app }) => app);
  return {
    world,
    gate,
    ownerToken,
    apps: apps.slice(0, servers),
    stalling: apps[servers] as App,
    async close() {
      await Promise.all(opened.map((server) => server.close()));
      await Promise.all(databases.map((database) => database.close()));
      await world.close();
    },
  };
}

const holdClaims = (database: Database, gate: Gate): Database => ({
  ...database,
  async write(query, values) {
    if (query.name.startsWith('hold.claim_')) await gate.pass();
    return database.write(query, values);
  },
});

export type Credential = {
  readonly token: TestToken;
  readonly headers: Readonly<Record<string, string>>;
  /** The headers of the person's other browser, in which the person manages the account. */
  readonly own: Readonly<Record<string, string>>;
  /** An application that may manage the person's API tokens. */
  readonly keeper: string;
  /** The headers of an owner, who removes members and changes roles. */
  readonly owner: Readonly<Record<string, string>>;
  readonly grantId: string;
  readonly signInId: string;
};

/**
 * Creates an admin of the merchant with one credential of each kind, and the headers of the chosen
 * one.
 */
export async function aCredential(
  { world, ownerToken }: Fixture,
  via: CredentialKind,
): Promise<Credential> {
  const ports: Ports = world.ports;
  const { client } = world;
  const token = await aToken(world.database, client, { role: 'admin' });
  const user = { id: token.userId };
  const grant = await aGrant(ports, { user, client, scopes: ['payments:read'] });
  // A person sees a consent only after its first token.
  await extendGrant(world.database, grant.grantId, 3600);
  const keeper = await aGrant(ports, { user, client, scopes: ['mcp'] });
  const signIn = await aSignIn(ports, user);
  const headers = {
    token: { authorization: token.authorization },
    oauth: { authorization: grant.authorization },
    person: fromOwnPage(signIn, client.id),
  };
  return {
    token,
    headers: headers[via],
    own: fromOwnPage(await aSignIn(ports, user)),
    keeper: keeper.authorization,
    owner: { authorization: ownerToken.authorization },
    grantId: grant.grantId,
    signInId: signIn.signInId,
  };
}
