import type { Note } from '@svc/contract/dashboard/notes';
import type { NoteRow } from '../../../storage/notes/notes.ts';
import { translateAuthor } from '../../../storage/people/authors.ts';

/** The note as callers see it. Additions §2. */
export const showNote = (row: NoteRow): Note => ({
  id: row.id,
  object: 'note',
  clientId: row.client_id,
  resourceType: row.resource_type,
  resourceId: row.resource_id,
  text: row.text,
  author: translateAuthor(row),
  version: row.version,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

/** The facts of a note that the audit log keeps. They include its text, so that an edit can be read later. */
export const noteFacts = ({ resource_type, resource_id, text }: NoteRow) => ({
  resourceType: resource_type,
  resourceId: resource_id,
  text,
});
