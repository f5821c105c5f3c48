// Searches the lists that a text concerns, and returns what each has.

import type { ComponentChildren } from 'preact';
import { addressOf, parts } from '../../kit/addresses.ts';
import type { ListPage } from '../../kit/calls.ts';
import { readAt } from '../../kit/calls.ts';
import { addressWith, readAddress, requestOf } from '../../kit/list/list-address.ts';
import type { ListSpec } from '../../kit/list/list-spec.ts';
import type { Merchant } from '../../kit/merchant.ts';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { countedNoun } from '../../kit/words.ts';
import { customersSpec } from '../customers/customers.tsx';
import { disputesSpec } from '../payments/disputes.tsx';
import { paymentsSpec } from '../payments/payments-list.tsx';
import { subscriptionsSpec } from '../subscriptions/subscriptions.tsx';
import type { ListSearch, SearchedPart } from './search-kinds.ts';

export type SearchHit = {
  /** The title of the list; `All` for the link to the whole list. */
  readonly group: string;
  readonly href: string;
  readonly text: ComponentChildren;
};

/** A list whatever its rows are. */
type AnyList = Pick<ListSpec<never>, keyof ListSpec<never>>;

const specs: Readonly<Record<SearchedPart, AnyList>> = {
  payments: paymentsSpec,
  customers: customersSpec,
  disputes: disputesSpec,
  subscriptions: subscriptionsSpec,
};

/** Rows shown of each list; a link to the list shows the rest. */
const most = 4;

async function find(
  { part, filters }: ListSearch,
  merchant: Merchant,
): Promise<readonly SearchHit[]> {
  const spec = specs[part];
  const asked = readAddress(new URLSearchParams(filters).toString(), spec);
  if (asked.unknown.length + asked.wrong.length > 0) return [];
  const request = requestOf(asked, spec, merchant.zone, serviceTime());
  const path = request.replace(/limit=\d+/, `limit=${most}`);
  const { clientId } = merchant;
  const { data, total } = await readAt<ListPage<never>>(path, { clientId });
  const rows = data.map((row): SearchHit => {
    const [first, second] = spec.linesOf(row, merchant);
    return {
      group: parts[part].title,
      href: spec.hrefOf(row, merchant),
      text: (
        <>
          {first} <span class="fine">{second}</span>
        </>
      ),
    };
  });
  if (total <= most) return rows;
  const href = addressWith(addressOf(clientId, part), asked, {});
  return [...rows, { group: 'All', href, text: `All ${countedNoun(total, spec.noun)}` }];
}

/** Returns what each list has, without rows that an earlier list has too. */
export async function search(
  asks: readonly ListSearch[],
  merchant: Merchant,
): Promise<readonly SearchHit[]> {
  const found = (await Promise.all(asks.map((ask) => find(ask, merchant)))).flat();
  return found.filter(({ href }, place) => found.findIndex((each) => each.href === href) === place);
}
