import type { Merchant } from '@svc/contract/checkout-sessions/checkout-sessions-parts';
import type { Client as WireClient } from '@svc/contract/settings/clients';
import { type ShownProfile, shownName } from '../../../domain/people/merchant-profile.ts';
import type { Client } from '../../../storage/clients/clients.ts';

/** The merchant's settings as callers see them. Contract §3, Origins and Merchant. */
export const showClient = (client: Client): WireClient => ({
  id: client.id,
  object: 'client',
  name: client.name,
  livemode: client.isLive,
  businessName: client.businessName,
  logoUrl: client.logoUrl,
  supportEmail: client.supportEmail,
  termsUrl: client.termsUrl,
  brandColor: client.brandColor,
  businessAddress: client.businessAddress,
  taxNumber: client.taxNumber,
  timeZone: client.timeZone,
  buyerMails: client.buyerMails,
  buyerLanguage: client.buyerLanguage,
  customerPage: client.customerPage,
  allowedOrigins: [...client.allowedOrigins],
  createdAt: client.createdAt.toISOString(),
  updatedAt: client.updatedAt.toISOString(),
});

/** The merchant as buyers see it. Contract §3, Merchant. */
export const showMerchant = (client: ShownProfile & { readonly name: string }): Merchant => ({
  name: shownName(client),
  logoUrl: client.logoUrl,
  supportEmail: client.supportEmail,
  termsUrl: client.termsUrl,
  brandColor: client.brandColor,
});
