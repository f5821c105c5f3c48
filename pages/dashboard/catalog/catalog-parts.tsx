// What the pages of products and of coupons share.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import { List } from '../../kit/list/list-page.tsx';
import type { ListSpec } from '../../kit/list/list-spec.ts';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { Block } from '../../kit/parts/facts.tsx';
import { PartTabs } from '../../kit/parts/part-tabs.tsx';
import { NotAllowed } from '../../kit/parts/states.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { goTo } from '../../kit/router.ts';

export type Noun = 'product' | 'coupon';
export type Stored = { readonly code: string; readonly version: number };

/** What a form does with what was typed. */
export type FormWays<T> = {
  readonly send: (body: object) => Promise<T>;
  readonly onSaved: (saved: T) => unknown;
  /** Puts the form away. */
  readonly onCancel?: () => void;
};

type CatalogProps<T> = {
  readonly noun: Noun;
  readonly list: ListSpec<T>;
  readonly create: (body: object, clientId: string) => Promise<T>;
  /** The form of a new one. */
  readonly form: (ways: FormWays<T>) => ComponentChildren;
};

/** The list of products or of coupons, with the form of a new one above it. */
export function CatalogPage<T extends Stored>({ noun, list, create, form }: CatalogProps<T>) {
  const [isNew, setNew] = useState(false);
  const merchant = useMerchant();
  const { clientId } = merchant;
  const isAllowed = mayDo(merchant, 'catalog.write');
  const opener = useRef<HTMLButtonElement>(null);
  const isLeft = useRef(false);
  useLayoutEffect(() => {
    if (isLeft.current) opener.current?.focus();
    isLeft.current = isNew;
  }, [isNew]);
  const ways: FormWays<T> = {
    send: (body) => create(body, clientId),
    onSaved: ({ code }) => goTo(addressOf(clientId, `${noun}s`, code)),
    onCancel: () => setNew(false),
  };
  return (
    <>
      <div class="title-line">
        <Title>{list.title}</Title>
        {isAllowed && !isNew && (
          <button type="button" class="second" ref={opener} onClick={() => setNew(true)}>
            New {noun}
          </button>
        )}
      </div>
      {isNew && <Block title={`New ${noun}`}>{form(ways)}</Block>}
      {!isAllowed && <NotAllowed action={`add or change ${noun}s`} permission="catalog.write" />}
      <List
        spec={list}
        tabs={<PartTabs label="Products and coupons" between={['products', 'coupons']} />}
      />
    </>
  );
}

/** What the service refuses of an amount, in words for people. */
export const amountFaults = (tooLarge: string): Readonly<Record<string, string>> => ({
  amount_precision: 'This has more decimals than its currency.',
  amount_too_large: tooLarge,
});

/** The choices of whether something may be bought or used. */
export const switched = { yes: 'Yes', no: 'No, switched off' } as const;
