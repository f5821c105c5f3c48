import type { Ports } from '../../ports.ts';

export type DeliveryPorts = Pick<
  Ports,
  'database' | 'sendWebhook' | 'sealed' | 'newId' | 'randomBytes'
>;
