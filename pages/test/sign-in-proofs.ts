// The proofs of identity in tests of the account's pages: an authenticator's codes, and passkeys of a
// device that the browser's developer tools simulate.

import { expect } from 'vitest';
import { type AccountTest, codeOf } from './account-fixture.ts';

/**
 * Sets up an authenticator for the signed-in person. Returns its key and the recovery codes. The current
 * code is used up, so that the next one must be used next.
 */
export async function withAuthenticator(test: AccountTest) {
  const begun = await test.call<{ secret: string }>('POST', '/v1/account/authenticator', {
    body: {},
  });
  const { secret } = begun.body;
  const confirmed = await test.call<{ recoveryCodes: string[] }>(
    'POST',
    '/v1/account/authenticator/confirm',
    { body: { code: codeOf(secret) } },
  );
  expect(confirmed.status).toBe(200);
  return { secret, recoveryCodes: confirmed.body.recoveryCodes };
}

/** Adds a device with passkeys whose owner is always present and verified. */
export async function withDevice(test: AccountTest): Promise<void> {
  const devtools = await test.context.newCDPSession(test.page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Registers a passkey of the device for the signed-in person. */
export async function addPasskey(test: AccountTest): Promise<void> {
  const options = await test.call<object>('POST', '/v1/account/passkeys/options', { body: {} });
  const made = await test.page.evaluate(async (json) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(json as never);
    const { id, response } = (
      (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
    ).toJSON();
    const { clientDataJSON, attestationObject, transports } =
      response as AuthenticatorAttestationResponseJSON;
    return { id, clientDataJSON, attestationObject, transports };
  }, options.body);
  const added = await test.call('POST', '/v1/account/passkeys', {
    body: { name: 'This device', passkey: made },
  });
  expect(added.status).toBe(201);
}
