// The accounts at Svc that medusa-config names, for what runs beside the provider: job and subscriber.

import { openAccount, type SvcOptions } from './options.ts';
import type { Settling, Shop } from './settle.ts';

type Listed = { resolve?: unknown; id?: string; options?: SvcOptions };
type Config = {
  modules?: Record<string, { options?: { providers?: Listed[] } } | undefined | false>;
};

/** By the name of the provider in Medusa: `pp_svc_<id>`. */
export function accountsOf(shop: Shop): Map<string, Settling> {
  const { modules = {} } = shop.resolve('configModule') as Config;
  const listed = modules.payment ? (modules.payment.options?.providers ?? []) : [];
  const ours = listed.filter(({ resolve }) => resolve === '@svc/medusa');
  return new Map(
    ours.flatMap(({ id, options }) => {
      if (!options) return [];
      const olderThan = (options.settleAfterSeconds ?? 120) * 1000;
      const at = { shop, ...openAccount(options), olderThan };
      return [[id ? `pp_svc_${id}` : 'pp_svc', at]];
    }),
  );
}
