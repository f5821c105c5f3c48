import type { VaultLook } from '../../ports.ts';
import { type Finding, goodFinding, noteFinding, wrongFinding } from './finding.ts';

/** A smaller offset harms nothing; a larger one is told before calls are refused at 30 s. */
const toldSkewMs = 5_000;

const apart = (aheadMs: number): string =>
  `the vault's clock is ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead' : 'behind'}`;
const keepTime = 'run a time service (chrony, systemd-timesyncd) on both machines';

type State = VaultLook['state'];
const troubles: Readonly<Record<Exclude<State, 'ready' | 'another time'>, [string, string]>> = {
  'not ready': [
    'the vault is not ready: nobody can type a card',
    'read the log of the vault, and look at its database',
  ],
  unreachable: [
    'the vault does not answer at SVC_VAULT_INTERNAL_URL: nobody can type a card',
    'start the vault, or correct SVC_VAULT_INTERNAL_URL',
  ],
  'another mode': [
    'the vault runs in another mode: the cards that it takes cannot be charged',
    'give SVC_MODE and VAULT_MODE one value, and restart both',
  ],
  'another shared key': [
    'the vault has another shared key: no card form opens, and no card is redeemed',
    'give SVC_VAULT_SHARED_KEY of the service and VAULT_SHARED_KEY of the vault one value, and restart both',
  ],
};

/** Says what is wrong with the vault, and how to mend it; undefined where nothing is. */
export function troubleOf({
  state,
  aheadMs,
}: VaultLook): { readonly said: string; readonly mend: string } | undefined {
  if (state === 'another time') {
    return {
      said: `${apart(aheadMs)}: it refuses the service's calls, and payments stay in doubt`,
      mend: keepTime,
    };
  }
  if (state === 'ready') {
    return Math.abs(aheadMs) > toldSkewMs
      ? { said: `${apart(aheadMs)}: from 30 s on no payment with a card works`, mend: keepTime }
      : undefined;
  }
  const [said, mend] = troubles[state];
  return { said, mend };
}

/** Judges shared key, mode and clock of the vault as seen from here. */
export function judgeVault(look: VaultLook): Finding {
  const what = 'vault and service';
  const trouble = troubleOf(look);
  if (!trouble) return goodFinding(what, 'they have one shared key, one mode and one time');
  // The doctor may run where the vault's loopback port is not reached; /readyz tells what the service sees.
  const judge = look.state === 'unreachable' ? noteFinding : wrongFinding;
  return judge(what, trouble.said, trouble.mend);
}
