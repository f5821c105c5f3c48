import type { Client as WireClient } from '@svc/contract/clients';
import type { Client } from '../../storage/clients.ts';

/** The merchant's settings as callers see them. Contract §3, Origins. */
export const showClient = (client: Client): WireClient => ({
  id: client.id,
  object: 'client',
  name: client.name,
  livemode: client.isLive,
  allowedOrigins: [...client.allowedOrigins],
  createdAt: client.createdAt.toISOString(),
  updatedAt: client.updatedAt.toISOString(),
});
