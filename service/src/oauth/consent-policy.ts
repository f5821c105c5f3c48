// Requires that a person signs in and consents anew for every authorization request. Contract §6.

import type { IncomingMessage } from 'node:http';
import type { interactionPolicy, KoaContextWithOIDC } from 'oidc-provider';

type Library = typeof import('oidc-provider');

/** Returns who is signed in, by the service's own cookie; null while a second factor is missing. */
export type FindSignedIn = (
  request: IncomingMessage,
) => Promise<{ readonly userId: string } | null>;

/** Returns the grant of this request's consent, never an earlier one: each request asks the person again. */
export async function findConsent({ oidc }: KoaContextWithOIDC) {
  const grantId = oidc.result?.consent?.grantId;
  return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
}

/**
 * A person signs in and consents for this request, on the service's page. On return the same person
 * must still be signed in, in the browser that began the request: another person's consent does not
 * count.
 */
export function consentPolicy(
  { signedIn }: { signedIn: FindSignedIn },
  { interactionPolicy }: Library,
): interactionPolicy.Prompt[] {
  const { Check, Prompt } = interactionPolicy;
  return [
    new Prompt(
      { name: 'login', requestable: true },
      new Check('no_sign_in', 'nobody is signed in', 'login_required', async (ctx) => {
        const person = await signedIn(ctx.req);
        const wanted = ctx.oidc.result?.login?.accountId;
        return person === null || (wanted !== undefined && wanted !== person.userId);
      }),
    ),
    new Prompt(
      { name: 'consent', requestable: true },
      new Check(
        'no_consent',
        'the person is asked each time',
        'consent_required',
        (ctx) => ctx.oidc.result?.login === undefined || ctx.oidc.result.consent === undefined,
      ),
    ),
  ];
}
