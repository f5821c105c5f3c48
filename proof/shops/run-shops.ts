// The layer `shops`: the table of cases on shops from npm. What our plugins get wrong is a violation; what a shop's own
// plugin gets wrong is only told, for docs/guides/shops.md.

import { type Case, cases, describe, runCases } from './cases.ts';
import { openGround } from './ground.ts';
import { installShop } from './install.ts';
import { medusa } from './medusa.ts';
import { medusaCases } from './medusa-cases.ts';
import type { Plugin, ShopAdapter } from './shop.ts';
import { vendure } from './vendure.ts';
import { vendureCases } from './vendure-cases.ts';

/** One file each. */
const adapters: readonly ShopAdapter[] = [medusa, vendure];
const plugins: readonly Plugin[] = ['svc', 'built-in'];

/** What only our plugin of a shop is asked. */
const own: Readonly<Record<ShopAdapter['name'], readonly Case[]>> = {
  medusa: medusaCases,
  vendure: vendureCases,
};
const casesOf = ({ name }: ShopAdapter, plugin: Plugin) =>
  plugin === 'svc' ? [...cases, ...own[name]] : cases;

/** Cases of every shop, with each of its plugins. */
export const shopCases = adapters
  .flatMap((adapter) => plugins.map((plugin) => casesOf(adapter, plugin).length))
  .reduce((sum, count) => sum + count, 0);

type Options = { readonly signal: AbortSignal; readonly onProgress: (done: number) => void };
/** The beginnings of names, and a pattern of the cases'; empty for all. */
type Wanted = {
  readonly shop?: string;
  readonly plugin?: string;
  readonly words?: string;
  /** Hears each outcome as soon as it is there. */
  readonly say?: (line: string) => void;
};

export async function runShops({ signal, onProgress }: Options, wanted: Wanted = {}) {
  const { shop = '', plugin: only = '', words = '', say } = wanted;
  const violations: string[] = [];
  const commands: string[] = [];
  const result = (notRun?: string) => ({
    ...{ done: commands.length, violations, sometimes: {}, commands },
    ...(notRun ? { notRun } : {}),
  });
  for (const adapter of adapters.filter(({ name }) => name.startsWith(shop))) {
    const failure = installShop(adapter);
    if (failure) return result(failure);
    for (const plugin of plugins.filter((name) => name.startsWith(only))) {
      if (signal.aborted) return result();
      const ground = await openGround(adapter, plugin);
      try {
        await runCases(ground, {
          ...{ cases: casesOf(adapter, plugin), words, signal },
          told(outcome) {
            const said = `${adapter.name}, ${plugin}: ${describe(outcome)}`;
            if (plugin === 'svc' && outcome.problems.length > 0) violations.push(said);
            say?.(said);
            onProgress(commands.push(said));
          },
        });
        if (process.env.SVC_SHOP_LOG) process.stdout.write(ground.shop.log());
      } finally {
        await ground.close();
      }
    }
  }
  return result();
}
