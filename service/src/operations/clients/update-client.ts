import { rows } from '@svc/contract';
import { replaceAllowedOrigins } from '../../storage/clients.ts';
import { differencesOf } from '../audit-log/differences.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { parseAllowedOrigin } from './allowed-origin.ts';
import { showClient } from './show-client.ts';

/**
 * Replaces the allowed origins; repeats are stored once. Contract §3, Origins. Refuses, in order:
 * merchant_role_required, invalid_request with one error per origin that may not be allowed.
 */
export const updateClient = implement(rows.updateClient)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller, 'admin');

  const parsed = input.body.allowedOrigins.map(parseAllowedOrigin);
  const errors = parsed.flatMap((result, index) =>
    'problem' in result
      ? [{ path: `allowedOrigins[${index}]`, code: 'origin_invalid', message: result.problem }]
      : [],
  );
  if (errors.length > 0) return refuse('invalid_request', { param: 'allowedOrigins', errors });

  const origins = parsed.flatMap((result) => ('origin' in result ? [result.origin] : []));
  return ports.database.transaction(clientId, async (tx) => {
    const { before, after } = await replaceAllowedOrigins(tx, clientId, [...new Set(origins)]);
    const change = { action: 'client.updated', resourceType: 'client', resourceId: clientId };
    const differences = differencesOf(showClient(before), showClient(after));
    await recordChange(tx, caller, { ...change, ...differences }, ports);
    return { status: 200, body: showClient(after) };
  });
});
