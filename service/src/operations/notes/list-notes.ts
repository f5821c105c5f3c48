import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showNote } from '../../engine/steps/notes/show-note.ts';
import { listNoteRows } from '../../storage/notes/notes.ts';

/** Lists the notes of the merchant's people. Additions §2. */
export const listNotes = implement(rows.listNotes)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const { rows: found, ...page } = await listNoteRows(ports.database, clientId, input);
  return { status: 200, body: { data: found.map(showNote), ...page } };
});
