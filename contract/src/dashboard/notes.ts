// Notes that a merchant's people write. Additions §2.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import {
  author,
  component,
  exactFilter,
  givenInstant,
  input,
  instant,
  list,
  oneOf,
  paging,
  text,
  uuid,
} from '../rows/schema.ts';

/** The types of resources that can have notes. */
export const notedTypes = ['payment', 'customer', 'dispute', 'subscription'] as const;
export type NotedType = (typeof notedTypes)[number];

export const Note = component('Note', {
  id: uuid(),
  object: oneOf(['note']),
  clientId: uuid(),
  resourceType: oneOf(notedTypes),
  resourceId: uuid(),
  text: Type.String(),
  author: author(),
  version: Type.Integer({ description: 'Rises by one with each change.' }),
  createdAt: instant(),
  updatedAt: instant(),
});
export type Note = Static<typeof Note>;

const noteText = () =>
  text(2000, {
    description: 'May have several lines; no card numbers, and not only blanks.',
    pattern: '\\S',
    'x-lines': true,
  });

export const createNote = row({
  spec: 'Additions §2, POST /v1/notes',
  summary: 'Writes a note beside a payment, customer, dispute or subscription.',
  call: 'POST /v1/notes',
  auth: 'server',
  scope: 'customers:write',
  permission: 'notes.write',
  limit: 'client',
  createsOnce: true,
  input: {
    body: input({ resourceType: oneOf(notedTypes), resourceId: uuid(), text: noteText() }),
  },
  answers: { 201: Note },
  refuses: [
    'invalid_request',
    'payment_not_found',
    'customer_not_found',
    'customer_forgotten',
    'dispute_not_found',
    'subscription_not_found',
    'insufficient_scope',
  ],
  emits: [],
});

export const listNotes = row({
  spec: 'Additions §2, GET /v1/notes',
  summary: 'Lists notes, newest first.',
  call: 'GET /v1/notes',
  auth: 'server',
  scope: 'customers:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { query: paging(['createdAt'], {}) },
  filters: {
    resourceType: oneOf(notedTypes),
    resourceId: uuid(),
    authorId: exactFilter(uuid()),
    createdAt: givenInstant(),
  },
  answers: { 200: list(Note) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});

const NoteId = Type.Object({ noteId: uuid() });

export const updateNote = row({
  spec: 'Additions §2, PATCH /v1/notes/{noteId}',
  summary: 'Changes the text of a note; allowed to its author only.',
  call: 'PATCH /v1/notes/{noteId}',
  auth: 'server',
  scope: 'customers:write',
  permission: 'notes.write',
  limit: 'client',
  input: {
    path: NoteId,
    body: input({
      text: noteText(),
      version: Type.Optional(
        Type.Integer({
          minimum: 0,
          description:
            'The version that you read; the change is refused when there is a newer one.',
        }),
      ),
    }),
  },
  answers: { 200: Note },
  refuses: [
    'invalid_request',
    'note_not_found',
    'note_of_another',
    'version_conflict',
    'insufficient_scope',
  ],
  emits: [],
});

export const deleteNote = row({
  spec: 'Additions §2, DELETE /v1/notes/{noteId}',
  summary: 'Removes a note; allowed to its author, owners and admins.',
  call: 'DELETE /v1/notes/{noteId}',
  auth: 'server',
  scope: 'customers:write',
  permission: 'notes.write',
  limit: 'client',
  input: { path: NoteId },
  answers: { 204: null },
  refuses: ['invalid_request', 'note_not_found', 'note_of_another', 'insufficient_scope'],
  emits: [],
});
