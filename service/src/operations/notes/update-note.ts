import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { noteFacts, showNote } from '../../engine/steps/notes/show-note.ts';
import { lockNote, updateNoteText } from '../../storage/notes/notes.ts';

/**
 * Changes the text of the caller's own note; the former text is in the audit log. Additions §2.
 * Refuses, in order: note_not_found, note_of_another, version_conflict.
 */
export const updateNote = implement(rows.updateNote)(async (input, caller, ports, refuse) => {
  const { clientId, userId } = requireServer(caller);
  const { text, version } = input.body;
  return ports.database.transaction(clientId, async (tx) => {
    const note = await lockNote(tx, clientId, input.noteId);
    if (!note) return refuse('note_not_found');
    if (note.author_id !== userId) return refuse('note_of_another');
    // The same change was made already: its answer was lost, and the client sends it again.
    if (note.text === text) return { status: 200, body: showNote(note) };
    if (version !== undefined && version !== note.version) return refuse('version_conflict');
    const saved = await updateNoteText(tx, note, text);
    const change = { action: 'note.updated', resourceType: 'note', resourceId: note.id };
    const facts = { before: noteFacts(note), after: noteFacts(saved) };
    await recordChange(tx, caller, { ...change, ...facts }, ports);
    return { status: 200, body: showNote(saved) };
  });
});
