// The page for the code of a device without a browser: the person types it here and then sees the usual
// consent page. RFC 8628 §3.3.

import { CallFailure, call } from '../kit/calls.ts';
import { Field, Form } from '../kit/parts/form.tsx';
import { Headline, NarrowPage } from '../kit/parts/page.tsx';
import { goTo, place, signInAddress } from '../kit/router.ts';

const wrongCode = new CallFailure(404, {
  message: 'This code is wrong, was used before, or has expired. Look at your device again.',
});

const takeCode = (userCode: string) =>
  call('POST /oauth/device-code', { body: { userCode } }, { isVisitor: true }).then(
    ({ uid }) => uid,
  );

export function DevicePage() {
  const done = new URLSearchParams(location.search).get('done');
  return done ? <DeviceDecided isAllowed={done === 'allowed'} /> : <EnterCode />;
}

const DeviceDecided = ({ isAllowed }: { isAllowed: boolean }) => (
  <NarrowPage>
    <Headline>{isAllowed ? 'Your device has access' : 'Your device has no access'}</Headline>
    <p class="lead">
      {isAllowed
        ? 'Go back to your device. You can revoke the access in your account.'
        : 'You refused. Nothing was allowed, and you can close this page.'}
    </p>
    <a class="second" href="/account">
      Go to your account
    </a>
  </NarrowPage>
);

function EnterCode() {
  // A device that shows a link or a QR code adds the code to the address. The code is filled in but never
  // submitted automatically: somebody who only received the link would give a stranger's device access. RFC
  // 8628 §5.4.
  const given = new URLSearchParams(location.search).get('user_code') ?? '';
  const send = async (fields: (name: string) => string) => {
    const userCode = fields('code').trim();
    const uid = await takeCode(userCode).catch((cause: unknown) => {
      const code = cause instanceof CallFailure ? cause.code : null;
      if (code === 'authorization_not_found') throw wrongCode;
      const isHalf = code === 'second_factor_required';
      if (code !== 'sign_in_required' && !isHalf) throw cause;
      // After signing in the person returns here, with the code filled in.
      goTo(signInAddress(`${place.value}?user_code=${encodeURIComponent(userCode)}`));
      return null;
    });
    if (uid !== null) goTo(`/account/authorize/${encodeURIComponent(uid)}`, { replaces: true });
  };
  return (
    <NarrowPage>
      <Headline>Connect a device</Headline>
      <p class="lead">
        {given
          ? 'Continue only if your own device shows this code right now.'
          : 'Type the code that your device shows.'}
      </p>
      <Form submit="Go on" send={send}>
        <Field
          label="Code"
          name="code"
          class="code"
          value={given.slice(0, 20)}
          maxLength={20}
          hint="Never type a code that somebody sent or read out to you."
          hasFocus
        />
      </Form>
    </NarrowPage>
  );
}
