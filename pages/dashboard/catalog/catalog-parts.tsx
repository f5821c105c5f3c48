// What the pages of products and of coupons share.

import { type ComponentChildren, Fragment } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CallFailure, call, failureOf } from '../../account/calls.ts';
import { place } from '../../account/router.ts';
import { addressOf, partOf } from '../addresses.ts';
import { mayDo, useMerchant } from '../merchant.ts';
import { typedNumber } from '../money.ts';
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
  return (
    <>
      <Title>{title}</Title>
      <CatalogViews />
      {isNew ? (
        <Block title={`New ${noun}`}>{form(() => setNew(false))}</Block>
      ) : isAllowed ? (
        <p class="ways">
          <button type="button" class="second" onClick={() => setNew(true)}>
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

type Stored = { readonly code: string; readonly version: number };

type ChangeProps<T> = {
  readonly noun: 'product' | 'coupon';
  /** As it was read last. */
  readonly present: T;
  /** Reads it again. */
  readonly again: () => Promise<void>;
  /** Reads it again, then tells what was done. */
  readonly tell: (text: string) => Promise<void>;
  /** Told once a change is saved. */
  readonly saved: string;
  readonly form: (opened: T, ways: FormWays<T>) => ComponentChildren;
};

type FormWays<T> = {
  readonly send: (body: object) => Promise<T>;
  readonly onSaved: (saved: T) => Promise<void>;
};

/**
 * The form that changes a product or a coupon. It keeps the version that it was opened with while the page
 * is read again, so that typed text stays and no change of a colleague is overwritten.
 */
export function ChangeBlock<T extends Stored>(given: ChangeProps<T>) {
  const { noun, present, again, tell, saved, form } = given;
  const isAllowed = mayDo(useMerchant(), 'catalog.write');
  const { clientId } = useMerchant();
  const [opened, open] = useState(present);
  const isBegun = useRef(false);
  const isOld = present.version > opened.version;
  const begin = () => {
    isBegun.current = true;
  };
  const renew = (content: T) => {
    isBegun.current = false;
    open(content);
  };
  useLayoutEffect(() => {
    if (isOld && !isBegun.current) open(present);
  }, [present]);
  const send = async (body: object) => {
    try {
      const path = `/v1/${noun}s/${encodeURIComponent(opened.code)}`;
      return await call<T>('PATCH', path, { clientId, body });
    } catch (cause) {
      const failure = failureOf(cause);
      if (failure.code !== 'version_conflict') throw failure;
      await again();
      const message = 'A colleague changed it meanwhile. Nothing of this form was saved.';
      throw new CallFailure(failure.status, { ...failure.facts, message });
    }
  };
  if (!isAllowed) {
    return (
      <Block title="Change it">
        <NotAllowed act={`add or change ${noun}s`} permission="catalog.write" />
      </Block>
    );
  }
  return (
    <Block title="Change it">
      <div role="status">
        {isOld && (
          <div class="notice caution">
            <div>
              <p>
                A colleague changed this {noun} after you opened the form. The facts above are the
                present ones; what you typed is not saved.
              </p>
              <button
                type="button"
                class="second"
                onClick={() => {
                  renew(present);
                  void tell('The form shows the present state.');
                }}
              >
                Load the present state
              </button>
            </div>
          </div>
        )}
      </div>
      <div onFocusIn={begin} onInput={begin}>
        <Fragment key={opened.version}>
          {form(opened, {
            send,
            onSaved: (stored) => {
              renew(stored);
              return tell(saved);
            },
          })}
        </Fragment>
      </div>
    </Block>
  );
}
