import assert from 'node:assert';
import { rows } from '@svc/contract';
import { parseProfile } from '../../domain/people/merchant-profile.ts';
import { isTimeZone } from '../../domain/people/time-zone.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { differencesOf } from '../../engine/steps/audit-log/differences.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { parseAllowedOrigin } from '../../engine/steps/clients/allowed-origin.ts';
import { showClient } from '../../engine/steps/clients/show-client.ts';
import { type ClientChanges, updateClientRow } from '../../storage/clients/clients.ts';

/**
 * Changes the merchant's settings: an absent field stays as it is, null removes a value. Repeated
 * origins are stored once. Contract §3, Origins and Merchant. Refuses, in order:
 * merchant_role_required, invalid_request with one error for each origin and each field that is not
 * accepted.
 */
export const updateClient = implement(rows.updateClient)(
  async ({ body }, caller, ports, refuse) => {
    const { clientId } = requireServer(caller, rows.updateClient);
    const { allowedOrigins, timeZone, buyerMails, buyerLanguage, customerPage, ...profile } = body;

    const origins = allowedOrigins && parseOrigins(allowedOrigins);
    const { changes, problems } = parseProfile(profile);
    const isZone = timeZone === undefined || isTimeZone(timeZone);
    const errors = [...(origins?.errors ?? []), ...(isZone ? [] : [noZone]), ...problems];
    const [first] = errors;
    if (first) {
      const param = first.path.replace(/\[.*/, '');
      return refuse('invalid_request', {
        param,
        errors,
        message: `${first.path}: ${first.message}`,
      });
    }

    const wanted: ClientChanges = {
      ...changes,
      ...(timeZone === undefined ? {} : { timeZone }),
      ...(buyerMails && { buyerMails }),
      ...(buyerLanguage && { buyerLanguage }),
      ...(customerPage && { customerPage }),
      ...(origins && { allowedOrigins: origins.found }),
    };
    return ports.database.transaction(clientId, async (tx) => {
      const updated = await updateClientRow(tx, clientId, wanted);
      assert(updated, 'a credential belongs to a client');
      const [before, after] = [showClient(updated.before), showClient(updated.after)];
      const change = { action: 'client.updated', resourceType: 'client', resourceId: clientId };
      await recordChange(tx, caller, { ...change, ...differencesOf(before, after) }, ports);
      return { status: 200, body: after };
    });
  },
);

const noZone = {
  path: 'timeZone',
  code: 'time_zone_invalid',
  message: 'Name a time zone of the IANA database, such as Europe/Berlin.',
};

function parseOrigins(given: readonly string[]) {
  const parsed = given.map(parseAllowedOrigin);
  const errors = parsed.flatMap((result, index) =>
    'problem' in result
      ? [{ path: `allowedOrigins[${index}]`, code: 'origin_invalid', message: result.problem }]
      : [],
  );
  const found = parsed.flatMap((result) => ('origin' in result ? [result.origin] : []));
  return { errors, found: [...new Set(found)] };
}
