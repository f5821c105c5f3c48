import type { ViewedList } from '@svc/contract/dashboard/views';
import { may } from '@svc/contract/rows/roles';
import { lacksRole } from '../../../domain/people/lacks-role.ts';
import { findWrongNames } from '../../../domain/protocol/view-query.ts';
import { refuse } from '../../implement.ts';
import type { ServerCaller } from '../../require-server.ts';

/** Refuses invalid_request, `view_query_invalid`, for filters that the list does not support. */
export function checkViewQuery(list: ViewedList, query: string): void {
  const wrong = findWrongNames(list, query);
  if (wrong.length === 0) return;
  const message = `The list does not accept ${wrong.slice(0, 5).join(', ')}.`.slice(0, 300);
  refuse('invalid_request', {
    param: 'query',
    message,
    errors: [{ path: 'query', code: 'view_query_invalid', message }],
  });
}

/** Throws merchant_role_required for a role that may not change views shared with everyone. */
export function requireShare({ role }: ServerCaller): void {
  if (!may(role, 'views.share')) throw lacksRole('views.share');
}
