// What the pages of products and of coupons share.

import { CallFailure } from '../../account/calls.ts';
import { place } from '../../account/router.ts';
import { addressOf, partOf } from '../addresses.ts';
import { useMerchant } from '../merchant.ts';
import { typedNumber } from '../money.ts';

const titles = { products: 'Products', coupons: 'Coupons' } as const;

/** Links between the products and their coupons. */
export function CatalogViews() {
  const { clientId } = useMerchant();
  const shown = partOf(place.value);
  return (
    <nav class="tabs" aria-label="Products and coupons">
      {(['products', 'coupons'] as const).map((part) => (
        <a
          key={part}
          href={addressOf(clientId, part)}
          {...(part === shown ? { 'aria-current': 'page' as const } : {})}
        >
          {titles[part]}
        </a>
      ))}
    </nav>
  );
}

/** An error of a form before anything was sent. */
export const typedWrongly = (message: string): CallFailure => new CallFailure(400, { message });

/** Reads a typed number. Throws CallFailure with `message`. */
export function numberOf(typed: string, message: string): number {
  const found = typedNumber(typed);
  if (found === null) throw typedWrongly(message);
  return found;
}

/** The choices of whether something may be bought or used. */
export const switched = { yes: 'Yes', no: 'No, switched off' } as const;
