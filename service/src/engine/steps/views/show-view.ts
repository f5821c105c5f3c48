import type { View } from '@svc/contract/dashboard/views';
import { translateAuthor } from '../../../storage/people/authors.ts';
import type { ViewRow } from '../../../storage/views/views.ts';

/** The view as callers see it. Additions §2, Views. */
export const showView = (row: ViewRow): View => ({
  id: row.id,
  object: 'view',
  clientId: row.client_id,
  list: row.list,
  name: row.name,
  query: row.query,
  isShared: row.is_shared,
  author: translateAuthor(row),
  version: row.version,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

/** The facts of a view that the audit log keeps. */
export const viewFacts = ({ list, name, query, is_shared }: ViewRow) => ({
  list,
  name,
  query,
  isShared: is_shared,
});
