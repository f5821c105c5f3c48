// What the pages of products and of coupons share.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { place } from '../../account/router.ts';
import { addressOf, partOf } from '../addresses.ts';
import { mayDo, useMerchant } from '../merchant.ts';
import { Block } from '../payment-parts.tsx';
import { NotAllowed } from '../states.tsx';
import { Title } from '../title.tsx';

const titles = { products: 'Products', coupons: 'Coupons' } as const;

type CatalogProps = {
  readonly title: string;
  readonly noun: 'product' | 'coupon';
  /** The form of a new one; `close` puts it away. */
  readonly form: (close: () => void) => ComponentChildren;
  /** The list. */
  readonly children: ComponentChildren;
};

/** The list of products or of coupons, with the form of a new one above it. */
export function CatalogPage({ title, noun, form, children }: CatalogProps) {
  const [isNew, setNew] = useState(false);
  const isAllowed = mayDo(useMerchant(), 'catalog.write');
  const opener = useRef<HTMLButtonElement>(null);
  const isLeft = useRef(false);
  useLayoutEffect(() => {
    if (isLeft.current) opener.current?.focus();
    isLeft.current = isNew;
  }, [isNew]);
  return (
    <>
      <Title>{title}</Title>
      <CatalogViews />
      {isNew ? (
        <Block title={`New ${noun}`}>{form(() => setNew(false))}</Block>
      ) : isAllowed ? (
        <p class="ways">
          <button type="button" class="second" ref={opener} onClick={() => setNew(true)}>
            New {noun}
          </button>
        </p>
      ) : (
        <NotAllowed act={`add or change ${noun}s`} permission="catalog.write" />
      )}
      {children}
    </>
  );
}

/** Links between the products and their coupons. */
function CatalogViews() {
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

/** The choices of whether something may be bought or used. */
export const switched = { yes: 'Yes', no: 'No, switched off' } as const;
