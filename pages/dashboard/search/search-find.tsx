// What the service finds by a text, as rows of the search box. The service alone reads the text, and says how.

import type { SearchResults } from '@svc/contract/dashboard/search';
import { cutText } from '@svc/contract/values/characters';
import { msOf } from '@svc/contract/values/instants';
import type { ComponentChildren } from 'preact';
import { addressOf, parts } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { addressWith, readAddress } from '../../kit/list/list-address.ts';
import type { ListSpec } from '../../kit/list/list-spec.ts';
import type { Merchant } from '../../kit/merchant.ts';
import { countedNoun } from '../../kit/words.ts';
import { rangeText } from '../../kit/zone.ts';
import { customersSpec } from '../customers/customers.tsx';
import { disputesSpec } from '../payments/disputes.tsx';
import { paymentsSpec } from '../payments/payments-list.tsx';
import { subscriptionsSpec } from '../subscriptions/subscriptions.tsx';

type SearchHit = { readonly href: string; readonly text: ComponentChildren };

/** What one meaning of the text found, under its words: `Payments: card ending in 4242`. */
export type SearchGroup = { readonly title: string; readonly hits: readonly SearchHit[] };

export type Found = {
  readonly groups: readonly SearchGroup[];
  /** Everything that was looked for, in words. */
  readonly understood: readonly string[];
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
function listAddress(part: Part, filter: string, { clientId, zone }: Merchant): string | null {
  const asked = new URLSearchParams(filter);
  const [from, until] = ['gte', 'lt'].map((op) => asked.get(`createdAt[${op}]`));
  const named = [...asked].map(([name, value]) => [name.replace(/\[\w+\]$/, ''), value]);
  if (from && until) named.push(['createdAt', rangeText(msOf(from), msOf(until), zone)]);
  const [least, most] = ['gte', 'lte'].map((op) => asked.get(`amount[${op}]`));
  if (least && most) named.push(['amount', `${least}..${most}`]);
  const address = readAddress(
    new URLSearchParams(Object.fromEntries(named)).toString(),
    specs[part],
  );
  const isWhole = address.unknown.length + address.wrong.length === 0;
  return isWhole ? addressWith(addressOf(clientId, part), address, {}) : null;
}

function groupOf(
  part: Part,
  { words, filter, total, data }: SearchResults[Part][number],
  merchant: Merchant,
): SearchGroup {
  const spec: AnyList = specs[part];
  const rows = data.map((row): SearchHit => {
    const [first, second, third] = spec.linesOf(row as never, merchant);
    return {
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
  const href = total > data.length ? listAddress(part, filter, merchant) : null;
  const all = href === null ? [] : [{ href, text: `All ${countedNoun(total, spec.noun)}` }];
  return { title: `${parts[part].title}: ${words}`, hits: [...rows, ...all] };
}

/** Returns what is found. A row that several meanings find stands in the first group only. */
export async function search(typed: string, merchant: Merchant): Promise<Found> {
  const q = cutText(typed.trim(), longest);
  const results = await call('GET /v1/search', { q }, { clientId: merchant.clientId });
  const seen = new Set<string>();
  const found = searched.flatMap((part) =>
    results[part].map((group) => groupOf(part, group, merchant)),
  );
  const groups = found.map(({ title, hits }) => ({
    title,
    hits: hits.filter(({ href }) => !seen.has(href) && seen.add(href)),
  }));
  return { groups: groups.filter(({ hits }) => hits.length > 0), understood: results.understood };
}
