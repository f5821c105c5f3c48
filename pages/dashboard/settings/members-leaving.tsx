// A member leaves or is removed. The API tokens that stop with the membership are shown, and the person
// must agree to that.

import type { Member } from '@svc/contract/settings/members';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import type { StoppingToken } from '../../kit/members-words.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { AskDialog } from '../../kit/parts/dialog.tsx';
import { Block } from '../../kit/parts/facts.tsx';
import { Busy } from '../../kit/parts/form.tsx';
import { TroubleAt } from '../../kit/parts/section-box.tsx';
import { readPerson } from '../../kit/person.ts';
import { goTo } from '../../kit/router.ts';
import { Section } from '../../kit/section.ts';
import { runOrListStoppingTokens, Tokens, tokensText } from './members-tokens.tsx';

type RemoveProps = {
  section: Section<readonly Member[]>;
  member: Member;
  onDone: () => void;
};

/** The API tokens that may stop with the membership. */
const inQuery = (tokenIds: readonly string[]) => tokenIds.join(',') || undefined;

export function RemoveMember({ section, member, onDone }: RemoveProps) {
  const { clientId } = useMerchant();
  const [tokens, setTokens] = useState<readonly StoppingToken[] | null>(null);
  const { userId, email, name } = member;
  const called = name ?? email;
  const remove = async (agreed: readonly string[]) => {
    let asked: readonly StoppingToken[] | null = null;
    await section.change(userId, async () => {
      asked = await runOrListStoppingTokens(() =>
        call('DELETE /v1/members/{userId}', { userId, tokenIds: inQuery(agreed) }, { clientId }),
      );
    });
    setTokens(asked);
    if (asked) return;
    if (!section.trouble.value) section.news.value = { text: `${called} is no longer a member.` };
    onDone();
  };
  const answer = (isYes: boolean) => {
    if (isYes) void remove(tokens?.map(({ id }) => id) ?? []);
    else onDone();
  };
  if (section.work.value !== null) return null;
  return (
    <AskDialog
      key={tokens ? 'tokens' : 'first'}
      title={tokens ? `Remove ${called} and stop ${tokensText(tokens)}?` : `Remove ${called}?`}
      yes={tokens ? `Remove and stop ${tokensText(tokens)}` : 'Remove'}
      no="Keep as it is"
      onAnswer={answer}
    >
      {tokens ? (
        <Tokens tokens={tokens} />
      ) : (
        <p>Access ends at the next request, also for applications. The person is told by mail.</p>
      )}
    </AskDialog>
  );
}

export function LeaveSection() {
  const { clientId } = useMerchant();
  // The section reads nothing: it only holds the one action and its result.
  const section = useMemo(() => new Section(async () => true), []);
  const [isAsked, setAsked] = useState(false);
  const [tokens, setTokens] = useState<readonly StoppingToken[] | null>(null);
  const leave = async (agreed: readonly string[]) => {
    let asked: readonly StoppingToken[] | null = null;
    const isDone = await section.change('leave', async () => {
      asked = await runOrListStoppingTokens(() =>
        call('DELETE /v1/account/memberships/{clientId}', {
          clientId,
          tokenIds: inQuery(agreed),
        }),
      );
    });
    setTokens(asked);
    if (asked) return;
    setAsked(false);
    if (!isDone) return;
    await readPerson();
    goTo('/account', { replaces: true });
  };
  const answer = (isYes: boolean) => {
    if (isYes) {
      void leave(tokens?.map(({ id }) => id) ?? []);
      return;
    }
    setAsked(false);
    setTokens(null);
  };
  return (
    <Block
      title="Leave this merchant"
      intro="Your access and your API tokens here end at once. An owner or admin can invite you again."
    >
      <TroubleAt section={section} at="leave" />
      <Busy
        kind="second danger"
        isBusy={section.work.value !== null}
        onClick={() => setAsked(true)}
      >
        Leave
      </Busy>
      {isAsked && section.work.value === null && (
        <AskDialog
          key={tokens ? 'tokens' : 'first'}
          title={tokens ? `Leave and stop ${tokensText(tokens)}?` : 'Leave this merchant?'}
          yes={tokens ? `Leave and stop ${tokensText(tokens)}` : 'Leave'}
          no="Stay"
          onAnswer={answer}
        >
          {tokens ? <Tokens tokens={tokens} /> : <p>You will lose all access to it.</p>}
        </AskDialog>
      )}
    </Block>
  );
}
