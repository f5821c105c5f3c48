import type { SavedCard } from '@svc/contract/customers/saved-cards';
import { toMethod } from '../../../storage/payment-methods/payment-methods.ts';
import type { SavedCardRow } from '../../../storage/payment-methods/saved-card-lists.ts';
import { mayReadNames, type ServerCaller } from '../../require-server.ts';

/** A saved card, or its tombstone, as the reader may see it. Additions §5, Saved cards. */
export function showSavedCard(row: SavedCardRow, reader: ServerCaller): SavedCard {
  const method = toMethod(row);
  return {
    id: method.id,
    object: 'saved_card',
    clientId: method.clientId,
    customer: {
      id: method.userId,
      email: row.customer_email,
      name: mayReadNames(reader) ? row.customer_name : null,
    },
    type: method.type,
    provider: method.provider,
    status: method.status,
    brand: method.brand,
    lastFour: method.lastFour,
    expiryMonth: method.expiryMonth,
    expiryYear: method.expiryYear,
    payerEmail: method.payerEmail,
    isDefault: row.is_default,
    subscriptions: row.subscriptions,
    lastChargedAt: method.lastChargedAt?.toISOString() ?? null,
    createdAt: method.createdAt.toISOString(),
    removedAt: method.removedAt?.toISOString() ?? null,
    removedBy: method.removedBy,
  };
}
