// The API tokens that stop with a membership or with its role: shown, and agreed to.

import type { Member } from '@svc/contract/settings/members';
import { CallFailure, call } from '../../kit/calls.ts';
import {
  type Role,
  roleNames,
  type StoppingToken,
  tokensOfRefusal,
} from '../../kit/members-words.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { AskDialog } from '../../kit/parts/dialog.tsx';
import type { Section } from '../../kit/section.ts';

/** Asks the service first; answers the tokens that it wants to be named, null once it is done. */
export async function runOrListStoppingTokens(
  action: () => Promise<unknown>,
): Promise<readonly StoppingToken[] | null> {
  try {
    await action();
    return null;
  } catch (cause) {
    if (cause instanceof CallFailure && cause.code === 'member_has_tokens') {
      return tokensOfRefusal(cause.facts);
    }
    throw cause;
  }
}

export const tokensText = (tokens: readonly StoppingToken[]): string =>
  tokens.length === 1 ? 'this token' : 'these tokens';

type TokensProps = { tokens: readonly StoppingToken[] };

export const Tokens = ({ tokens }: TokensProps) => (
  <>
    <p>
      {tokens.length === 1 ? 'This API token stops' : 'These API tokens stop'} at once, and every
      program that uses {tokens.length === 1 ? 'it' : 'them'}:
    </p>
    <ul>
      {tokens.map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
    </ul>
  </>
);

/** A change of role that waits for the word on the tokens that it stops. */
export type Stopping = { readonly role: Role; readonly tokens: readonly StoppingToken[] };

type StopProps = Stopping & {
  readonly section: Section<readonly Member[]>;
  readonly member: Member;
  readonly onDone: (isDone: boolean) => void;
};

export function StopTokens({ section, member, role, tokens, onDone }: StopProps) {
  const { clientId } = useMerchant();
  const { userId, email, name } = member;
  const answer = async (isYes: boolean) => {
    if (!isYes) return onDone(false);
    const body = { role, tokenIds: tokens.map(({ id }) => id) };
    const action = () => call('PATCH /v1/members/{userId}', { userId, body }, { clientId });
    onDone(await section.change(userId, action));
  };
  if (section.work.value !== null) return null;
  return (
    <AskDialog
      title={`Make ${name ?? email} ${roleNames[role]} and stop ${tokensText(tokens)}?`}
      yes={`Change the role and stop ${tokensText(tokens)}`}
      no="Keep as it is"
      onAnswer={(isYes) => void answer(isYes)}
    >
      <Tokens tokens={tokens} />
    </AskDialog>
  );
}
