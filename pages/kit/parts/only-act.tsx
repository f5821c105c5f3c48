// The one act of a page, which cannot be undone: who may do it, the question before it, and what it did.

import type { Permission } from '@svc/contract/roles';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { mayDo, useMerchant } from '../merchant.ts';
import { readOnFailure } from '../read.ts';
import { AskedAct, type AskedActProps } from './asked-act.tsx';
import { News, useNews } from './news.tsx';
import { NotAllowed } from './states.tsx';

type OnlyActProps = Omit<AskedActProps, 'act' | 'isOffered' | 'whyNot'> & {
  /** As in "may not …". */
  readonly what: string;
  readonly permission: Permission;
  readonly isOffered: boolean;
  readonly act: (clientId: string) => Promise<unknown>;
  /** Reads the page again. */
  readonly again: () => Promise<unknown>;
  /** Told once it is done. */
  readonly done: string;
  /** Stated above the button. */
  readonly lead?: ComponentChildren;
};

export function OnlyAct(given: OnlyActProps) {
  const { what, permission, isOffered, act, again, done, lead, children, ...asked } = given;
  const merchant = useMerchant();
  const [news, tell] = useNews(again);
  const id = useId();
  const isAllowed = mayDo(merchant, permission);
  const actAndTell = async () => {
    await readOnFailure(again, () => act(merchant.clientId));
    await tell(done);
  };
  return (
    <section {...(isOffered ? { class: 'acts', 'aria-label': 'What you can do' } : {})}>
      <News text={news} />
      {isOffered && !isAllowed && <NotAllowed id={id} act={what} permission={permission} />}
      {lead}
      <AskedAct {...asked} isOffered={isOffered} whyNot={isAllowed ? null : id} act={actAndTell}>
        {children}
      </AskedAct>
    </section>
  );
}
