// An invitation to an address whose domain is international: its two spellings are one address. RFC 5891.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aClient, freshDatabase, portsFor, type TestDatabase } from '../../../test/harness.ts';
import {
  aMemberOf,
  anInvitation,
  aPerson,
  memberCaller,
  personCaller,
} from '../../../test/people/members.ts';
import { refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { createInvitation } from './create-invitation.ts';
import { lookAtInvitation } from './look-at-invitation.ts';

let db: TestDatabase;
let ports: Ports;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
});
afterAll(() => db?.close());

it('200 for the person of the other spelling; then 409 already_a_member for both', async () => {
  const client = await aClient(db.database, { name: 'Blue Bikes' });
  const owner = memberCaller(await aMemberOf(ports, client, { role: 'owner' }), client);
  const name = randomUUID();
  const [unicode, ascii] = [`${name}@bücher.example`, `${name}@xn--bcher-kva.example`];
  const person = await aPerson(ports, { email: unicode });
  const { link } = await anInvitation(ports, client, { email: ascii, role: 'admin' });
  const body = { link };
  const seen = await lookAtInvitation({ body }, personCaller(person), ports, refuse);
  expect(seen).toMatchObject({ body: { isYours: true } });
  const joined = await acceptInvitation({ body }, personCaller(person), ports, refuse);
  expect(joined).toMatchObject({ status: 200 });
  for (const email of [unicode, ascii]) {
    const invite = createInvitation({ body: { email, role: 'member' } }, owner, ports, refuse);
    await expect(invite).rejects.toMatchObject({ code: 'already_a_member' });
  }
});
