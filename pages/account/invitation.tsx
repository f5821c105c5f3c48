// The page of an invitation's mailed link: it shows who invites whom to which merchant, and lets a person
// join, with an existing account or a new one. Contract §6.

import type { OpenedInvitation } from '@svc/contract/settings/members';
import { useEffect, useState } from 'preact/hooks';
import { CallFailure, call } from '../kit/calls.ts';
import { modeName } from '../kit/mode.ts';
import { Busy, Field, Form, useAction } from '../kit/parts/form.tsx';
import { Headline, NarrowPage, Waiting } from '../kit/parts/page.tsx';
import { Trouble } from '../kit/parts/states.tsx';
import { person, readPerson } from '../kit/person.ts';
import { roleMeaning, roleName } from '../kit/roles.ts';
import { goTo } from '../kit/router.ts';
import { takeLink } from './link-secret.ts';
import { NewPassword } from './new-password.tsx';
import { SignInBox } from './sign-in-box.tsx';

type Newcomer = { readonly name: string; readonly password: string };

/**
 * The visitor chooses between new and existing account, because the service never reveals whether an
 * account exists.
 */
type AccountChoice = 'new' | 'known';

const lookAtLink = (link: string) =>
  call('POST /v1/invitation/look', { body: { link } }, { isVisitor: true });

export function InvitationPage() {
  const [link] = useState(takeLink);
  const [invitation, setInvitation] = useState<OpenedInvitation | null>(null);
  const [isDead, setDead] = useState(link === null);
  const reading = useAction(async () => {
    if (link === null) return;
    await readPerson();
    setInvitation(await unlessLinkDead(lookAtLink(link), setDead));
  });
  useEffect(() => void reading.run(), []);
  if (isDead || link === null) return <DeadInvitation />;
  if (reading.failure && !invitation) {
    return (
      <NarrowPage>
        <Headline>The invitation cannot be read</Headline>
        <Trouble hasFocus failure={reading.failure} />
        <Busy isBusy={reading.isBusy} onClick={() => void reading.run()}>
          Try again
        </Busy>
      </NarrowPage>
    );
  }
  if (!invitation) return <Waiting />;
  const join = async (newcomer?: Newcomer) => {
    const body = { link, ...newcomer };
    const accepting = call('POST /v1/invitation/accept', { body }, { isVisitor: true });
    const joined = await unlessLinkDead(accepting, setDead);
    if (!joined) return;
    await readPerson();
    goTo(`/dashboard/${joined.clientId}`, { replaces: true });
  };
  return (
    <AccountChoices invitation={invitation} join={join} onSignedIn={() => void reading.run()} />
  );
}

/** Returns null, and calls `setDead`, when the link cannot be used any more. */
async function unlessLinkDead<T>(calling: Promise<T>, setDead: (isDead: true) => void) {
  return calling.catch((cause: unknown) => {
    if (!(cause instanceof CallFailure) || cause.code !== 'link_not_found') throw cause;
    setDead(true);
    return null;
  });
}

type WaysProps = {
  invitation: OpenedInvitation;
  join: (newcomer?: Newcomer) => Promise<void>;
  onSignedIn: () => void;
};

function AccountChoices({ invitation, join, onSignedIn }: WaysProps) {
  const [way, setWay] = useState<AccountChoice>(person.value ? 'known' : 'new');
  const [isKnown, setKnown] = useState<CallFailure | null>(null);
  const joinAsNew = (newcomer: Newcomer) =>
    join(newcomer).catch((cause: unknown) => {
      if (!(cause instanceof CallFailure) || cause.code !== 'account_exists') throw cause;
      setKnown(cause);
      setWay('known');
    });
  if (invitation.isYours) {
    return (
      <NarrowPage>
        <InvitedPage invitation={invitation} />
        <JoinButton invitation={invitation} join={join} />
      </NarrowPage>
    );
  }
  if (way === 'known') {
    return (
      <NarrowPage>
        <SignInBox
          title={`Sign in to join ${invitation.merchantName}`}
          intro={<OtherAddress email={invitation.email} />}
          failure={isKnown}
          email={invitation.email}
          onDone={onSignedIn}
        />
        {!isKnown && (
          <p class="beside">
            <button type="button" class="link" onClick={() => setWay('new')}>
              I have no account yet
            </button>
          </p>
        )}
      </NarrowPage>
    );
  }
  return (
    <NarrowPage>
      <InvitedPage invitation={invitation} />
      <Form
        submit={`Join ${invitation.merchantName}`}
        send={(fields) => joinAsNew({ name: fields('name').trim(), password: fields('password') })}
      >
        <Field label="Your name" name="name" autoComplete="name" maxLength={100} hasFocus />
        <Field
          label="Email address"
          name="email"
          type="email"
          autoComplete="username"
          value={invitation.email}
          isReadOnly
        />
        <NewPassword />
      </Form>
      <p class="beside">
        <button type="button" class="link" onClick={() => setWay('known')}>
          I have an account already
        </button>
      </p>
    </NarrowPage>
  );
}

function OtherAddress({ email }: { email: string }) {
  const known = person.value;
  if (!known) return <>The invitation is for {email}.</>;
  return (
    <>
      The invitation is for <strong>{email}</strong>, and this browser is signed in as {known.email}
      .
    </>
  );
}

const InvitedPage = ({ invitation }: { invitation: OpenedInvitation }) => (
  <>
    <Headline>Join {invitation.merchantName}</Headline>
    <p class="lead">
      {invitation.invitedBy ? <strong>{invitation.invitedBy}</strong> : 'The operator'} invites{' '}
      <strong>{invitation.email}</strong> to work for <strong>{invitation.merchantName}</strong>
      {!invitation.livemode && ` (${modeName()}: no real money)`} with the role{' '}
      <strong>{roleName(invitation.role)}</strong>.
    </p>
    <p class="fine">{roleMeaning(invitation.role)}</p>
  </>
);

function JoinButton({ invitation, join }: Pick<WaysProps, 'invitation' | 'join'>) {
  const { run, isBusy, failure } = useAction(() => join());
  return (
    <>
      {failure && <Trouble hasFocus failure={failure} />}
      <Busy isBusy={isBusy} onClick={() => void run()}>
        Join {invitation.merchantName}
      </Busy>
      <p class="fine">You are signed in as {invitation.email}.</p>
    </>
  );
}

const DeadInvitation = () => (
  <NarrowPage>
    <Headline>This invitation no longer works</Headline>
    <p class="lead">
      The invitation was used or withdrawn, is older than seven days, or the link is incomplete. If
      you reloaded this page, open the link in the mail again.
    </p>
    <p class="lead">Otherwise ask the person who invited you for a new one.</p>
    <a class="second" href="/account">
      Go to your account
    </a>
  </NarrowPage>
);
