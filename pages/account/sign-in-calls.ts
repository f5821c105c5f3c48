// The calls by which somebody proves who sits there.

import type { SignInStep } from '@svc/contract/account-shapes';
import { call } from './calls.ts';
import type { AskOptions, SignedProof } from './passkey.ts';
import { person } from './person.ts';

const post = <T>(path: string, body: object): Promise<T> =>
  call<T>('POST', `/v1/account${path}`, { body, isVisitor: true });

export const signIn = (email: string, password: string): Promise<SignInStep> =>
  post('/sign-in', { email: email.trim(), password });

export const giveSecondFactor = (
  proof: { readonly code: string } | { readonly recoveryCode: string },
): Promise<unknown> => post('/sign-in/second-factor', proof);

export const passkeyOptions = (): Promise<AskOptions> => post('/sign-in/passkey-options', {});

export const signInWithPasskey = (proof: SignedProof): Promise<unknown> =>
  post('/sign-in/passkey', proof);

/** A fresh proof by the person who is signed in: what the service asks before weighty changes. */
export const confirmSignIn = (
  proof:
    | { readonly password: string; readonly code?: string; readonly recoveryCode?: string }
    | { readonly passkey: SignedProof },
): Promise<unknown> => post('/confirm', proof);

export const confirmationOptions = (): Promise<AskOptions> => post('/confirm/passkey-options', {});

export async function signOut(): Promise<void> {
  await post('/sign-out', {});
  person.value = null;
}

/** Answered alike whether or not there is such an account. */
export const askForReset = (email: string): Promise<unknown> => post('/password-reset', { email });

export const choosePassword = (link: string, password: string): Promise<unknown> =>
  post('/password-reset/complete', { link, password });
