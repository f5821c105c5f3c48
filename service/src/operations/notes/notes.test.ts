// Notes over HTTP: who may write, change and delete them, and what remains of them.

import type { Note } from '@svc/contract/dashboard/notes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aCustomer,
  aGateway,
  aToken,
  callAs,
  freshDatabase,
  newId,
  portsFor,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import { aStoredPayment } from '../../../test/payments/stored-rows.ts';
import { aServer, type TestServer } from '../../../test/server.ts';

let db: TestDatabase;
let server: TestServer;
let owner: TestToken;
let member: TestToken;
let stranger: TestToken;
let paymentId: string;
let customerId: string;
beforeAll(async () => {
  db = await freshDatabase();
  const client = await aClient(db.database);
  const gateway = await aGateway(db.database, client);
  paymentId = (await aStoredPayment(db.database, client, { gateway })).id;
  customerId = (await aCustomer(db.database, client)).id;
  owner = await aToken(db.database, client);
  member = await aToken(db.database, client, { role: 'member' });
  stranger = await aToken(db.database, await aClient(db.database));
  server = await aServer(portsFor(db.database));
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

type NoteOptions = Partial<{
  resourceType: string;
  resourceId: string;
  text: string;
  as: TestToken;
}>;

const write = ({ as = member, ...given }: NoteOptions = {}) =>
  callAs(server.app, as, 'POST /v1/notes', {
    body: { resourceType: 'payment', resourceId: paymentId, text: 'Rang twice.', ...given },
  });

async function writeNote(given: NoteOptions = {}): Promise<Note> {
  const answer = await write(given);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json();
}

const changeNote = (id: string, body: object, as: TestToken = member) =>
  callAs(server.app, as, `PATCH /v1/notes/${id}`, { body });
const remove = (id: string, as: TestToken = member) =>
  callAs(server.app, as, `DELETE /v1/notes/${id}`);

async function list(query: string, as: TestToken = member) {
  const answer = await callAs(server.app, as, `GET /v1/notes?${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json() as { data: Note[]; total: number };
}

async function logged(noteId: string) {
  const query = `resourceType[eq]=note&resourceId[eq]=${noteId}&sortDirection=ASC`;
  const answer = await callAs(server.app, owner, `GET /v1/audit-entries?${query}`);
  type Entry = { action: string; before: { text: string } | null; after: { text: string } | null };
  return (answer.json().data as Entry[]).map(({ action, before, after }) => [
    action,
    before?.text,
    after?.text,
  ]);
}

const codeOf = (answer: Awaited<ReturnType<typeof write>>) => [
  answer.statusCode,
  answer.json().code,
];

describe('notes', () => {
  it('201: in the name of the person, in several lines; listed newest first', async () => {
    const text = 'Asked for an invoice.\nSent on 3 May.';
    const first = await writeNote({ text });
    expect(first).toMatchObject({
      object: 'note',
      resourceType: 'payment',
      resourceId: paymentId,
      text,
      author: { userId: member.userId, name: null },
      version: 0,
    });
    const second = await writeNote({ resourceId: paymentId.toUpperCase() });
    const query = `resourceType[eq]=payment&resourceId[eq]=${paymentId}`;
    expect(await list(query)).toMatchObject({ data: [second, first], total: 2 });
    const own = await writeNote({ as: owner, resourceType: 'customer', resourceId: customerId });
    expect((await list(`authorId[eq]=${owner.userId}`)).data).toEqual([own]);
  });

  it('200: the author changes the text once; what it said stands in the audit log', async () => {
    const note = await writeNote({ text: 'Paid in cash?' });
    const changed = await changeNote(note.id, { text: 'Paid by card.', version: 0 });
    expect(changed.json()).toMatchObject({ text: 'Paid by card.', version: 1 });
    const again = await changeNote(note.id, { text: 'Paid by card.', version: 0 });
    expect(again.json()).toEqual(changed.json());
    const late = await changeNote(note.id, { text: 'Something else.', version: 0 });
    expect(codeOf(late)).toEqual([409, 'version_conflict']);
    expect(await logged(note.id)).toEqual([
      ['note.created', undefined, 'Paid in cash?'],
      ['note.updated', 'Paid in cash?', 'Paid by card.'],
    ]);
  });

  it('403 note_of_another: another’s note is neither changed nor, by a member, removed', async () => {
    const note = await writeNote({ as: owner });
    expect(codeOf(await changeNote(note.id, { text: 'Mine.' }))).toEqual([403, 'note_of_another']);
    expect(codeOf(await remove(note.id))).toEqual([403, 'note_of_another']);
    const members = await writeNote();
    const byOwner = await changeNote(members.id, { text: 'Mine.' }, owner);
    expect(codeOf(byOwner)).toEqual([403, 'note_of_another']);
    expect(await logged(note.id)).toHaveLength(1);
  });

  it('204: author and owner remove it; it is gone and stays in the audit log', async () => {
    const own = await writeNote({ text: 'First.' });
    const members = await writeNote({ text: 'Second.' });
    expect((await remove(own.id)).statusCode).toBe(204);
    expect((await remove(members.id, owner)).statusCode).toBe(204);
    expect(codeOf(await remove(own.id))).toEqual([404, 'note_not_found']);
    expect((await logged(members.id)).at(-1)).toEqual(['note.deleted', 'Second.', undefined]);
  });

  it('404 note_not_found: a note or what it stands beside, missing or another merchant’s', async () => {
    for (const [resourceType, code] of [
      ['payment', 'payment_not_found'],
      ['customer', 'customer_not_found'],
      ['dispute', 'dispute_not_found'],
      ['subscription', 'subscription_not_found'],
    ] as const) {
      const answer = await write({ resourceType, resourceId: newId() });
      expect(codeOf(answer)).toEqual([404, code]);
    }
    expect(codeOf(await write({ as: stranger }))).toEqual([404, 'payment_not_found']);
    const note = await writeNote();
    expect(codeOf(await changeNote(note.id, { text: 'x' }, stranger))).toEqual([
      404,
      'note_not_found',
    ]);
    expect(codeOf(await remove(note.id, stranger))).toEqual([404, 'note_not_found']);
    expect((await list(`resourceId[eq]=${paymentId}`, stranger)).total).toBe(0);
  });

  it('400: a card number, too much text, none, control characters, an unknown kind', async () => {
    const card = await write({ text: 'Card 4242 4242 4242 4242, says the buyer' });
    expect(codeOf(card)).toEqual([400, 'raw_card_data_forbidden']);
    for (const given of [
      { text: 'x'.repeat(2001) },
      { text: '' },
      { text: 'a\u0007b' },
      { text: 'a\u202eb' },
      { resourceType: 'session' },
      { resourceId: '1' },
    ]) {
      expect(codeOf(await write(given)), JSON.stringify(given)).toEqual([400, 'invalid_request']);
    }
    const query = await callAs(server.app, member, 'GET /v1/notes?text[eq]=x');
    expect(codeOf(query)).toEqual([400, 'invalid_query']);
  });

  it('403 insufficient_scope', async () => {
    const client = { id: member.clientId };
    const scoped = await aToken(db.database, client, { scopes: ['customers:read'] });
    expect(codeOf(await write({ as: scoped }))).toEqual([403, 'insufficient_scope']);
    expect((await list('', scoped)).total).toBeGreaterThan(0);
  });
});
