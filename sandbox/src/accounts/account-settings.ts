// What the provider allows an account, as people set it in the provider's dashboard.
import { findFact, type Store, saveFact } from '../state/store.ts';

const chargesFact = (account: string): string => `charges_disabled ${account}`;
const rawCardsFact = (account: string): string => `raw_cards ${account}`;

/** Sets whether the account accepts charges, as the provider does after it has reviewed the account. */
export const setCharges = (store: Store, account: string, isEnabled: boolean): void =>
  saveFact(store, chargesFact(account), isEnabled ? '' : 'yes');

export const areChargesEnabled = (store: Store, account: string): boolean =>
  findFact(store, chargesFact(account)) !== 'yes';

export const rawCardSettings = ['allowed', 'refused'] as const;
export type RawCards = (typeof rawCardSettings)[number];

/** Sets whether numbers may be sent with the publishable key. An ordinary account may not send them. */
export const setRawCards = (store: Store, account: string, setting: RawCards): void =>
  saveFact(store, rawCardsFact(account), setting);

/** Allowed until it is set, so that a card form of one's own works in a sandbox without further steps. */
export const mayTypeCards = (store: Store, account: string): boolean =>
  findFact(store, rawCardsFact(account)) !== 'refused';
