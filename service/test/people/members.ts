// People to start from: with a password, with a role at a client, invited; and their mails.

import { randomBytes } from 'node:crypto';
import type { Caller, Ports, Role } from '../../src/engine/ports.ts';
import { digestOfLink, invite } from '../../src/engine/steps/invitations/invite.ts';
import {
  type ReadMail,
  readWaitingMails,
} from '../../src/engine/steps/mails/read-waiting-mails.ts';
import { hashPassword } from '../../src/engine/steps/people/password-hash.ts';
import type { Database } from '../../src/storage/database/database.ts';
import { sql } from '../../src/storage/database/sql.ts';
import { findOpenInvitation } from '../../src/storage/invitations/invitations.ts';
import { newId, type TestClient } from '../harness.ts';

export type TestPerson = {
  readonly id: string;
  readonly email: string;
  /** Null when the person has none. */
  readonly password: string | null;
};

const requestId = (): string => `req_${randomBytes(13).toString('hex')}`;

const insertPerson = sql(
  'test_person',
  `insert into users (id, email, name, password_hash, password_changed_at, email_proven_at,
     created_at)
   select $1, $2, $3, $4::text, case when $4::text is not null then now end,
     case when $4::text is not null then now end, now
   from (select svc_clock() as now) as clock`,
);

const testPassword = 'correct-horse-battery-7';

/** Creates a person with the test's password by default; null for none. */
export async function aPerson(
  ports: Pick<Ports, 'database' | 'randomBytes' | 'passwordCost'>,
  given: { email?: string; name?: string; password?: string | null } = {},
): Promise<TestPerson> {
  const id = newId();
  const email = given.email ?? `${id}@example.test`;
  const password = given.password === undefined ? testPassword : given.password;
  const hash = password === null ? null : await hashPassword(password, ports);
  await ports.database.write(insertPerson, [id, email, given.name ?? 'Ada', hash]);
  return { id, email, password };
}

const insertRole = sql(
  'test_role',
  `insert into memberships (client_id, user_id, role, created_at)
   values ($1, $2, $3, svc_clock())
   on conflict (client_id, user_id) do update set role = excluded.role`,
);

/** Gives the person the role at the client, whatever the role was before. */
export async function join(
  database: Database,
  client: TestClient,
  given: { readonly person: Pick<TestPerson, 'id'>; readonly role: Role },
): Promise<void> {
  await database.write(insertRole, [client.id, given.person.id, given.role]);
}

/**
 * Creates a person with the role at the client; without a password by default, because a digest
 * takes time.
 */
export async function aMemberOf(
  ports: Pick<Ports, 'database' | 'randomBytes' | 'passwordCost'>,
  client: TestClient,
  given: { role?: Role; email?: string; password?: string | null } = {},
): Promise<TestPerson> {
  const { role = 'member', ...person } = given;
  const made = await aPerson(ports, { password: null, ...person });
  await join(ports.database, client, { person: made, role });
  return made;
}

/** The caller of a person who has signed in to `/account`. */
export const personCaller = (person: Pick<TestPerson, 'id'>, signInId = newId()): Caller => ({
  kind: 'person',
  userId: person.id,
  signInId,
  requestId: requestId(),
  origin: null,
});

/** The caller of a person at a client, in a browser or with a token. */
export const memberCaller = (
  person: Pick<TestPerson, 'id'>,
  client: TestClient,
  given: { role?: Role; via?: 'token' | 'oauth' | 'person' } = {},
): Caller => ({
  kind: 'server',
  via: given.via ?? 'person',
  clientId: client.id,
  userId: person.id,
  tokenId: newId(),
  role: given.role ?? 'owner',
  scopes: null,
  requestId: requestId(),
  origin: null,
});

/** The caller of a browser on our pages in which nobody is signed in. */
export const visitorCaller = (address = '127.0.0.1'): Caller => ({
  kind: 'anonymous',
  requestId: requestId(),
  origin: null,
  address,
});

/** Creates an invitation by the operator or a person; `link` is the text after the `#`. */
export async function anInvitation(
  ports: Ports,
  client: TestClient,
  given: { email?: string; role?: Role; invitedBy?: string | null } = {},
): Promise<{ readonly id: string; readonly email: string; readonly link: string }> {
  const email = given.email ?? `${newId()}@example.test`;
  const { role = 'member', invitedBy = null } = given;
  const { invitation, url } = await ports.database.transaction(client.id, (tx) =>
    invite(
      tx,
      { clientId: client.id, email, role, invitedBy },
      { ports, record: async () => undefined },
    ),
  );
  return { id: invitation.id, email, link: linkIn(url) };
}

/** Returns the secret of the link in a mail's text. */
export const linkIn = (text: string): string => /#([\w-]{43})/.exec(text)?.[1] ?? '';

/** Returns the newest waiting mail to the address. */
export async function mailTo(ports: Ports, email: string): Promise<ReadMail> {
  const mails = await readWaitingMails(ports);
  const mail = mails.find(({ to }) => to === email);
  if (!mail) throw new Error(`no mail waits for ${email}`);
  return mail;
}

/** True while somebody can join with the link. */
export const isLinkOpen = async (ports: Ports, link: string): Promise<boolean> =>
  (await findOpenInvitation(ports.database, digestOfLink(link))) !== undefined;
