import { createApiToken as row } from '@svc/contract/developers/api-tokens';
import { checkedDate } from '@svc/contract/values/instants';
import {
  grantableScopes,
  isTokenDescription,
  readTokenName,
} from '../../domain/people/api-token.ts';
import { implement, refuse } from '../../engine/implement.ts';
import { refuseField } from '../../engine/refuse-field.ts';
import { issueToken } from '../../engine/steps/api-tokens/issue-token.ts';
import { refuseBeyond } from '../../engine/steps/api-tokens/refuse-beyond.ts';
import { requireOwner } from '../../engine/steps/api-tokens/require-owner.ts';
import { showApiToken } from '../../engine/steps/api-tokens/show-api-token.ts';

/**
 * Creates a token of the acting person; its value is only in this answer. Spec: POST
 * /v1/api-tokens. Refuses, in order: invalid_request, insufficient_scope, api_token_limit_reached,
 * rate_limited. Without scopes of its own a program's token gets all that its consent may give:
 * docs/decisions/access.md.
 */
export const createApiToken = implement(row)(async ({ body }, caller, ports) => {
  const maker = requireOwner(caller);
  const { clientId, userId } = maker;
  const { description = null, expiresAt = null } = body;
  const scopes = body.scopes ? [...new Set(body.scopes)] : grantableScopes(maker);
  const name = readTokenName(body.name);
  if (name === undefined) return refuseField('name', 'The name is 1 to 100 characters long.');
  if (description !== null && !isTokenDescription(description)) {
    return refuseField('description', 'The description is at most 255 characters long.');
  }
  const end = expiresAt === null ? null : checkedDate(expiresAt);
  refuseBeyond(scopes, maker);
  const wish = { clientId, userId, name, description, scopes, expiresAt: end };
  const issued = await ports.database.transaction(clientId, (tx) =>
    issueToken(tx, wish, { by: caller, ports }),
  );
  if (issued.kind === 'crowded') return refuseCrowded(issued);
  if (issued.kind === 'over') return refuseEnd();
  if (issued.kind === 'too_many') return refuse('api_token_limit_reached');
  // The membership ended while the request was under way, so its credential is not valid any more.
  if (issued.kind === 'not_a_member') return refuse('authentication_required');
  ports.nudge('deliver-webhooks');
  return { status: 201, body: { ...showApiToken(issued.token), token: issued.value } };
});

const refuseEnd = (): never => refuseField('expiresAt', 'A token ends in the future, or never.');

const refuseCrowded = ({ waitSeconds, perHour }: { waitSeconds: number; perHour: number }): never =>
  refuse('rate_limited', {
    retryAfter: waitSeconds,
    headers: {
      'ratelimit-limit': String(perHour),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(waitSeconds),
    },
    message: 'You made too many API tokens within an hour. Wait, then try again.',
  });
