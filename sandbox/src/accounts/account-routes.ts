// The account that a key belongs to, and whether it accepts charges.

import type { Call, Route } from '../core/core.ts';
import { missingResource } from '../requests/errors.ts';
import { areChargesEnabled } from './account-settings.ts';

const showAccount = ({ core, account }: Call): object => {
  const isEnabled = areChargesEnabled(core.store, account);
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
  { method: 'GET', path: '/account', accepts: { expand: 'list' }, run: showAccount },
  {
    method: 'GET',
    path: '/accounts/:id',
    accepts: { expand: 'list' },
    run: (call) => {
      if (call.id !== call.account) throw missingResource('account', call.id, 'account');
      return showAccount(call);
    },
  },
];
