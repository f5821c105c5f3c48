// Checks gateways for `svc gateways check`, and keys before they are stored.

import type { AccountCheck, Gateway, Ports } from '../../engine/ports.ts';
import { checkGateway, checkKeys } from '../../engine/runs/operator/check-gateways.ts';
import { findGateways, gatewayOf } from '../../engine/runs/operator/gateways.ts';
import { judgeRefusals } from '../../engine/steps/notices/refused-notices.ts';
import type { Surroundings } from '../line/command.ts';
import { readId } from '../line/flags.ts';
import { table } from '../line/report.ts';
import type { FlagReader, VerbWork } from '../line/verbs.ts';

const isWrongCheck = ({ verdict }: AccountCheck): boolean => verdict === 'wrong';

const formatChecks = (checks: readonly AccountCheck[]): string =>
  table(checks.map(({ what, verdict, said }) => [verdict, what, said]));

const walletNote: AccountCheck = {
  what: 'wallet',
  verdict: 'note',
  said: 'not tried here: svc doctor tries it',
};

/** Checks one gateway, or each active one at the card provider. */
export function check(text: FlagReader<'gateway'>, { out, err }: Surroundings): VerbWork {
  const id = text('gateway') === undefined ? null : readId('gateway', text('gateway'));
  return async (ports) => {
    const found = id === null ? await findGateways(null, ports) : [await gatewayOf(id, ports)];
    let code = 0;
    if (id === null && !found.some((one) => one?.isActive)) out.write('no gateway is in use\n');
    for (const one of found) {
      if (!one) {
        err.write(`svc gateways: there is no gateway ${id}\n`);
        return 1;
      }
      if (one.provider !== 'cardprovider') {
        if (id === null && !one.isActive) continue;
        const refusals = judgeRefusals(one.noticesRefused);
        out.write(`gateway ${one.id}\n${formatChecks([walletNote, ...refusals])}`);
        if (refusals.length > 0) code = 1;
        continue;
      }
      if (id === null && !one.isActive) continue;
      const checks = await checkGateway(one, ports);
      out.write(`gateway ${one.id}\n${formatChecks(checks)}`);
      if (checks.some(isWrongCheck)) code = 1;
    }
    return code;
  };
}

/**
 * Returns whether these keys may be stored; prints what is wrong with them. A wallet's keys are not
 * checked.
 */
export async function mayStore(
  { clientId, provider, accountId, publishableKey, secretKey }: Omit<Gateway, 'id'>,
  { ports, err }: { readonly ports: Ports } & Pick<Surroundings, 'err'>,
): Promise<boolean> {
  if (provider !== 'cardprovider') return true;
  const keys = { clientId, provider, accountId, publishableKey, secretKey };
  const wrong = (await checkKeys(keys, ports)).filter(isWrongCheck);
  if (wrong.length === 0) return true;
  err.write(
    `svc gateways: nothing is stored; --unchecked stores it all the same\n${formatChecks(wrong)}`,
  );
  return false;
}
