// What the service finds by a text, as rows of the search box. The service alone reads the text, apart from a day,
// which is the address of a list.

import type { SearchResults } from '@svc/contract/dashboard/search';
import { cutText } from '@svc/contract/values/characters';
import type { ComponentChildren } from 'preact';
import { addressOf, parts } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { addressWith, readAddress } from '../../kit/list/list-address.ts';
import type { ListSpec } from '../../kit/list/list-spec.ts';
import type { Merchant } from '../../kit/merchant.ts';
import { countedNoun } from '../../kit/words.ts';
import { rangeOf, rangeWords } from '../../kit/zone.ts';
import { customersSpec } from '../customers/customers.tsx';
import { disputesSpec } from '../payments/disputes.tsx';
import { paymentsSpec } from '../payments/payments-list.tsx';
import { subscriptionsSpec } from '../subscriptions/subscriptions.tsx';

export type SearchHit = {
  /** The title of the list; `All` for the link to the whole list. */
  readonly group: string;
  readonly href: string;
  readonly text: ComponentChildren;
};

/** A list whatever its rows are. */
type AnyList = Pick<ListSpec<never>, keyof ListSpec<never>>;

const specs = {
  payments: paymentsSpec,
  customers: customersSpec,
  disputes: disputesSpec,
  subscriptions: subscriptionsSpec,
} satisfies Record<string, AnyList>;

type Part = keyof typeof specs;
const searched = Object.keys(specs) as Part[];

/** The longest text that the service searches for. */
const longest = 320;

/** Returns the page of the list that a query of the API shows; null where the page has no such filter. */
function listAddress(part: Part, filter: string, clientId: string): string | null {
  const named = [...new URLSearchParams(filter)].map(([name, value]) => [
    name.replace(/\[\w+\]$/, ''),
    value,
  ]);
  const asked = readAddress(new URLSearchParams(named).toString(), specs[part]);
  const isWhole = asked.unknown.length + asked.wrong.length === 0;
  return isWhole ? addressWith(addressOf(clientId, part), asked, {}) : null;
}

function hitsOf(
  part: Part,
  { filter, total, data }: SearchResults[Part][number],
  merchant: Merchant,
): readonly SearchHit[] {
  const spec: AnyList = specs[part];
  const rows = data.map((row): SearchHit => {
    const [first, second, third] = spec.linesOf(row as never, merchant);
    return {
      group: parts[part].title,
      href: spec.hrefOf(row as never, merchant),
      text: (
        <>
          {first}{' '}
          <span class="fine">
            {second} · {third}
          </span>
        </>
      ),
    };
  });
  const href = total > data.length ? listAddress(part, filter, merchant.clientId) : null;
  if (href === null) return rows;
  return [...rows, { group: 'All', href, text: `All ${countedNoun(total, spec.noun)}` }];
}

/** Returns what is found, without rows that are found twice. */
export async function search(typed: string, merchant: Merchant): Promise<readonly SearchHit[]> {
  const text = cutText(typed.trim(), longest);
  const { clientId } = merchant;
  const day = text.toLowerCase().replaceAll(' ', '-');
  if (rangeOf(day, 'UTC', 0)) {
    const href = listAddress('payments', `createdAt=${day}`, clientId);
    return href ? [{ group: 'All', href, text: `Payments: ${rangeWords(day)}` }] : [];
  }
  const results = await call('GET /v1/search', { q: text }, { clientId });
  const found = searched.flatMap((part) =>
    results[part].flatMap((group) => hitsOf(part, group, merchant)),
  );
  return found.filter(({ href }, place) => found.findIndex((each) => each.href === href) === place);
}
