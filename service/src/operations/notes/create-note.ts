import { rows } from '@svc/contract';
import { createsOnce } from '../../engine/create-once.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { noteFacts, showNote } from '../../engine/steps/notes/show-note.ts';
import { holdNoted, insertNote } from '../../storage/notes/notes.ts';

const missing = {
  payment: 'payment_not_found',
  customer: 'customer_not_found',
  dispute: 'dispute_not_found',
  subscription: 'subscription_not_found',
} as const;

/**
 * Writes a note in the name of the person behind the credential. Additions §2. Refuses, in order: `…_not_found` where
 * the merchant has no such resource, for another merchant's too; customer_forgotten. What was bought by a customer who
 * was forgotten takes notes: a late dispute is worked on as any other. docs/decisions/buyers.md.
 */
export const createNote = implement(rows.createNote)(
  createsOnce(async (input, caller, ports, refuse) => {
    const { clientId, userId } = requireServer(caller);
    const { resourceType, text } = input.body;
    const resourceId = input.body.resourceId.toLowerCase();
    return ports.database.transaction(clientId, async (tx) => {
      const noted = await holdNoted(tx, clientId, { resourceType, resourceId });
      if (!noted) return refuse(missing[resourceType]);
      if (noted.isForgotten && resourceType === 'customer') return refuse('customer_forgotten');
      const note = {
        id: ports.newId(),
        clientId,
        resourceType,
        resourceId,
        text,
        authorId: userId,
      };
      const saved = await insertNote(tx, note);
      const change = { action: 'note.created', resourceType: 'note', resourceId: saved.id };
      await recordChange(tx, caller, { ...change, after: noteFacts(saved) }, ports);
      return { status: 201, body: showNote(saved) };
    });
  }),
);
