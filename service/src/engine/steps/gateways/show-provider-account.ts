import type { ProviderAccount } from '@svc/contract/settings/provider-accounts';
import type { AccountRow } from '../../../storage/gateways/provider-accounts.ts';
import type { Ports } from '../../ports.ts';

/** What the service knows about the keys: a refusal stands until the operator has stored or checked a key. */
function keysOf(row: AccountRow): ProviderAccount['keys']['status'] {
  if (row.key_refused_at !== null) return 'refused';
  return row.key_used_at !== null || row.has_payments ? 'accepted' : 'untried';
}

function noticesOf(row: AccountRow): ProviderAccount['notices']['status'] {
  const { notice_arrived_at: arrived, notice_lost_at: lost } = row;
  if (row.notices_refused_since !== null) return 'refused';
  if (lost !== null && (arrived === null || lost > arrived)) return 'missing';
  return arrived === null ? 'none' : 'arriving';
}

const instantOf = (at: Date | null): string | null => at?.toISOString() ?? null;

/** An account at a provider as the merchant's people see it. Additions §2, Provider accounts. */
export const showProviderAccount = (
  row: AccountRow,
  { mode }: Pick<Ports['settings'], 'mode'>,
): ProviderAccount => ({
  id: row.id,
  object: 'provider_account',
  provider: row.provider,
  accountId: row.account_id,
  mode,
  livemode: row.is_live,
  active: row.is_active,
  countries: row.countries,
  keys: {
    status: keysOf(row),
    refusedAt: instantOf(row.key_refused_at),
    usedAt: instantOf(row.key_used_at),
    checkedAt: instantOf(row.key_checked_at),
  },
  notices: {
    status: noticesOf(row),
    lastAt: instantOf(row.notice_arrived_at),
    refused: row.notices_refused,
    refusedSince: instantOf(row.notices_refused_since),
  },
});
