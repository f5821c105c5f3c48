// The payment provider of Svc for Medusa 2: `resolve: '@svc/medusa'` in medusa-config.

import { ModuleProvider, Modules } from '@medusajs/framework/utils';
import { SvcPaymentProvider } from './provider.ts';

export type { SvcOptions } from './options.ts';
export { SvcPaymentProvider };

const provider: unknown = ModuleProvider(Modules.PAYMENT, { services: [SvcPaymentProvider] });
export default provider;
