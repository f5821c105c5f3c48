// The form that changes a product or a coupon, also while a colleague changes it.

import { type ComponentChildren, Fragment } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { failureOf, ShownAtField } from '../../kit/calls.ts';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { Block } from '../../kit/parts/facts.tsx';
import { News, useNews } from '../../kit/parts/news.tsx';
import { NotAllowed } from '../../kit/parts/states.tsx';
import type { FormWays, Noun, Stored } from './catalog-parts.tsx';

type ChangeProps<T> = {
  readonly noun: Noun;
  /** As it was read last. */
  readonly present: T;
  /** Reads it again. */
  readonly again: () => Promise<void>;
  /** Reads it again, then tells what was done. */
  readonly tell: (text: string) => Promise<void>;
  readonly save: (body: object, clientId: string) => Promise<T>;
  /** Told once a change is saved. */
  readonly saved: string;
  readonly form: (shown: T, ways: FormWays<T>) => ComponentChildren;
};

type Opened<T> = {
  /** What the form was opened with: a change is a difference from it. */
  readonly base: T;
  /** What its fields begin with. */
  readonly shown: T;
  /** Grows with each new form. */
  readonly turn: number;
};

/** The fields of `body` that differ from what the form was opened with. */
const changesIn = (body: object, base: object): object =>
  Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) =>
        JSON.stringify(value) !== JSON.stringify((base as Record<string, unknown>)[name]),
    ),
  );

export function ChangeBlock<T extends Stored>(given: ChangeProps<T>) {
  const isAllowed = mayDo(useMerchant(), 'catalog.write');
  return (
    <Block title="Change it">
      {isAllowed ? (
        <ChangeForm {...given} />
      ) : (
        <NotAllowed action={`add or change ${given.noun}s`} permission="catalog.write" />
      )}
    </Block>
  );
}

/**
 * It keeps the version that it was opened with while the page is read again, so that typed text stays and no
 * change of a colleague is overwritten unseen.
 */
function ChangeForm<T extends Stored>(given: ChangeProps<T>) {
  const { noun, present, again, tell, save, saved, form } = given;
  const { clientId } = useMerchant();
  const [{ base, shown, turn }, setOpened] = useState<Opened<T>>({
    base: present,
    shown: present,
    turn: 0,
  });
  /** The turn of the form whose change was refused. */
  const [refused, setRefused] = useState<number | null>(null);
  const [news, say] = useNews(async () => undefined);
  const isBegun = useRef(false);
  const isKeeping = useRef(false);
  const box = useRef<HTMLDivElement>(null);
  const isOld = present.version > base.version;
  const begin = () => {
    isBegun.current = true;
  };
  const renew = (newBase: T, newShown = newBase) => {
    isBegun.current = newShown !== newBase;
    setOpened({ base: newBase, shown: newShown, turn: turn + 1 });
  };
  useLayoutEffect(() => {
    if (isOld && !isBegun.current) renew(present);
  }, [present]);
  const drop = () => {
    renew(present);
    void say(`The form shows the current ${noun}.`);
  };
  /** Reads the form as its own button does, which also says what is typed wrongly. */
  const keep = () => {
    isKeeping.current = true;
    box.current?.querySelector('form')?.requestSubmit();
    isKeeping.current = false;
  };
  const send = async (body: object) => {
    if (isKeeping.current) {
      const { version: _, ...changes } = changesIn(body, base) as Partial<T>;
      renew(present, { ...present, ...changes });
      void say(`The form shows the current ${noun} with your changes. Save them.`);
      throw new ShownAtField([]);
    }
    try {
      return await save(body, clientId);
    } catch (cause) {
      const failure = failureOf(cause);
      if (failure.code !== 'version_conflict') throw failure;
      await again();
      setRefused(turn);
      throw new ShownAtField([], failure.status);
    }
  };
  return (
    <>
      <News text={news} />
      <div role="status">
        {(isOld || refused === turn) && (
          <Conflict noun={noun} isRefused={refused === turn} keep={keep} drop={drop} />
        )}
      </div>
      <div ref={box} onFocusIn={begin} onInput={begin}>
        <Fragment key={turn}>
          {form(shown, {
            send,
            onSaved: (stored) => {
              renew(stored);
              return tell(saved);
            },
          })}
        </Fragment>
      </div>
    </>
  );
}

type ConflictProps = {
  readonly noun: Noun;
  /** True once a change was refused for it. */
  readonly isRefused: boolean;
  readonly keep: () => void;
  readonly drop: () => void;
};

function Conflict({ noun, isRefused, keep, drop }: ConflictProps) {
  const notice = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isRefused) notice.current?.focus();
  }, [isRefused]);
  return (
    <div class="notice caution" tabIndex={-1} ref={notice}>
      <div>
        <strong>
          {isRefused && 'Nothing was saved. '}A colleague changed this {noun} after you opened the
          form.
        </strong>
        <p>
          Above is your colleague’s version; the form shows yours. Keep your changes to apply them
          to your colleague’s version, then save.
        </p>
        <p class="ways">
          <button type="button" class="second" onClick={keep}>
            Keep my changes
          </button>
          <button type="button" class="second" onClick={drop}>
            Drop my changes
          </button>
        </p>
      </div>
    </div>
  );
}
