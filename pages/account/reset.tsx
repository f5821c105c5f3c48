// A forgotten password: requesting a mail, and choosing a new password with its link.

import { useState } from 'preact/hooks';
import { CallFailure, call } from '../kit/calls.ts';
import { Busy, Field, Form, useAction } from '../kit/parts/form.tsx';
import { Headline, NarrowPage } from '../kit/parts/page.tsx';
import { Trouble } from '../kit/parts/states.tsx';
import { MailsHint } from '../kit/parts/waiting-mails.tsx';
import { person } from '../kit/person.ts';
import { signInAddress } from '../kit/router.ts';
import { takeLink } from './link-secret.ts';
import { NewPassword } from './new-password.tsx';
import { recentAccessPath } from './recent-access.tsx';

export function ForgottenPage() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (sentTo) {
    return (
      <NarrowPage>
        <Headline>Check your mail</Headline>
        <p class="lead">
          If there is an account for <strong>{sentTo}</strong>, a link to choose a new password is
          on its way. It works once, within 30 minutes.
        </p>
        <MailsHint />
        <p class="lead">No mail? Check your spam folder, then ask again.</p>
        <p class="beside">
          <button type="button" class="link" onClick={() => setSentTo(null)}>
            Ask again
          </button>
          <a href="/account/sign-in">Back to signing in</a>
        </p>
      </NarrowPage>
    );
  }
  const send = async (fields: (name: string) => string) => {
    const email = fields('email').trim();
    await call('POST /v1/account/password-reset', { body: { email } }, { isVisitor: true });
    setSentTo(email);
  };
  return (
    <NarrowPage>
      <Headline>Forgotten your password?</Headline>
      <p class="lead">
        Enter the email address of your account. We will mail you a link to set a new password.
      </p>
      <Form submit="Mail me a link" send={send}>
        <Field
          label="Email address"
          name="email"
          type="email"
          inputMode="email"
          autoComplete="username"
          maxLength={254}
          hasFocus
        />
      </Form>
      <p class="beside">
        <a href="/account/sign-in">Back to signing in</a>
      </p>
    </NarrowPage>
  );
}

export function ResetPage() {
  const [link] = useState(takeLink);
  const [isDone, setDone] = useState(false);
  const [isDead, setDead] = useState(link === null);
  if (isDone) {
    return (
      <NarrowPage>
        <Headline>Your new password is set</Headline>
        <p class="lead">
          You are signed out everywhere. Passkeys, API tokens, applications and open invitations
          stay valid: sign in with the new password, and end those of the last 30 days that you do
          not recognise.
        </p>
        <a class="pay" href={signInAddress(recentAccessPath)}>
          Sign in
        </a>
      </NarrowPage>
    );
  }
  if (isDead || link === null) return <DeadLink link={link} />;
  const send = async (fields: (name: string) => string) => {
    try {
      const body = { link, password: fields('password') };
      await call('POST /v1/account/password-reset/complete', { body }, { isVisitor: true });
    } catch (cause) {
      if (cause instanceof CallFailure && cause.code === 'link_not_found') {
        setDead(true);
        return;
      }
      throw cause;
    }
    person.value = null;
    setDone(true);
  };
  return (
    <NarrowPage>
      <Headline>Choose a new password</Headline>
      <Form submit="Set the password" send={send}>
        <NewPassword hasFocus />
      </Form>
    </NarrowPage>
  );
}

function DeadLink({ link }: { link: string | null }) {
  const [isSent, setSent] = useState(false);
  const mailing = useAction(async () => {
    if (link === null) return;
    await call('POST /v1/account/password-reset', { body: { link } }, { isVisitor: true });
    setSent(true);
  });
  if (isSent) {
    return (
      <NarrowPage>
        <Headline>Check your mail</Headline>
        <p class="lead">
          A new link is on its way to the address that got this one. It works once, within 30
          minutes.
        </p>
        <MailsHint />
        <p class="beside">
          <a href="/account/forgotten">No mail? Type your address</a>
        </p>
      </NarrowPage>
    );
  }
  return (
    <NarrowPage>
      <Headline>This link no longer works</Headline>
      <p class="lead">
        The link was used, is older than 30 minutes, or is incomplete. If you reloaded this page,
        open the link in the mail again.
      </p>
      {mailing.failure && <Trouble hasFocus failure={mailing.failure} />}
      {link === null ? (
        <a class="pay" href="/account/forgotten">
          Ask for a new link
        </a>
      ) : (
        <Busy isBusy={mailing.isBusy} onClick={() => void mailing.run()}>
          Mail me a new link
        </Busy>
      )}
    </NarrowPage>
  );
}
