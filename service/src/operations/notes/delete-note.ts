import { rows } from '@svc/contract';
import { may } from '@svc/contract/rows/roles';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { noteFacts } from '../../engine/steps/notes/show-note.ts';
import { deleteNoteRow, lockNote } from '../../storage/notes/notes.ts';

/**
 * Deletes the caller's own note, or any note for an owner or admin. Its text stays in the audit
 * log. Additions §2. Refuses, in order: note_not_found, note_of_another.
 */
export const deleteNote = implement(rows.deleteNote)(async (input, caller, ports, refuse) => {
  const { clientId, userId, role } = requireServer(caller);
  return ports.database.transaction(clientId, async (tx) => {
    const note = await lockNote(tx, clientId, input.noteId);
    if (!note) return refuse('note_not_found');
    if (note.author_id !== userId && !may(role, 'notes.clear')) return refuse('note_of_another');
    await deleteNoteRow(tx, note);
    const change = { action: 'note.deleted', resourceType: 'note', resourceId: note.id };
    await recordChange(tx, caller, { ...change, before: noteFacts(note) }, ports);
    return { status: 204 };
  });
});
