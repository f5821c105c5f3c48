// The one action of a page, which cannot be undone: who may do it, the question before it, and what it did.

import type { Permission } from '@svc/contract/rows/roles';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { mayDo, useMerchant } from '../merchant.ts';
import { readOnFailure } from '../read.ts';
import { ActionButton, type ButtonWords, type OnItsOwn } from './action-button.tsx';
import type { Question } from './dialog.tsx';
import { News, useNews } from './news.tsx';
import { NotAllowed } from './states.tsx';

type OnlyActionProps = Omit<ButtonWords, 'about' | 'kind'> &
  Pick<OnItsOwn, 'failed' | 'trouble'> & {
    readonly question: Question;
    /** As in "may not …". */
    readonly what: string;
    readonly permission: Permission;
    readonly isOffered: boolean;
    readonly action: (clientId: string) => Promise<unknown>;
    /** Reads the page again. */
    readonly again: () => Promise<unknown>;
    /** Told once it is done. */
    readonly done: string;
    /** Stated above the button. */
    readonly lead?: ComponentChildren;
  };

export function OnlyAction(given: OnlyActionProps) {
  const { what, permission, isOffered, action, again, done, lead, ...button } = given;
  const merchant = useMerchant();
  const [news, tell] = useNews(again);
  const id = useId();
  const isAllowed = mayDo(merchant, permission);
  const actAndTell = async () => {
    await readOnFailure(again, () => action(merchant.clientId));
    await tell(done);
  };
  return (
    <section {...(isOffered ? { class: 'acts', 'aria-label': 'What you can do' } : {})}>
      <News text={news} />
      {isOffered && !isAllowed && <NotAllowed id={id} action={what} permission={permission} />}
      {lead}
      <ActionButton
        {...button}
        kind="second danger"
        isOffered={isOffered}
        whyNot={isAllowed ? null : id}
        onAction={actAndTell}
      />
    </section>
  );
}
