// The account that a key belongs to, and whether it accepts charges.
import type { Call, Route } from './core.ts';
import { missingResource } from './errors.ts';
import { findFact, type Store, saveFact } from './store.ts';

const chargesFact = (account: string): string => `charges_disabled ${account}`;

/** Sets whether the account accepts charges, as the provider does after it has reviewed the account. */
export const setCharges = (store: Store, account: string, isEnabled: boolean): void =>
  saveFact(store, chargesFact(account), isEnabled ? '' : 'yes');

const show = ({ core, account }: Call): object => {
  const isEnabled = findFact(core.store, chargesFact(account)) !== 'yes';
  return {
    id: account,
    object: 'account',
    business_type: 'company',
    charges_enabled: isEnabled,
    country: 'DE',
    created: core.clock.now(),
    default_currency: 'eur',
    details_submitted: isEnabled,
    email: null,
    metadata: {},
    payouts_enabled: isEnabled,
    type: 'standard',
  };
};

export const accountRoutes: Route[] = [
  { method: 'GET', path: '/account', accepts: { expand: 'list' }, run: show },
  {
    method: 'GET',
    path: '/accounts/:id',
    accepts: { expand: 'list' },
    run: (call) => {
      if (call.id !== call.account) throw missingResource('account', call.id, 'account');
      return show(call);
    },
  },
];
