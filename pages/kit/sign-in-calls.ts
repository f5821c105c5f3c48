// The calls by which a person proves an identity.

import type { SignInStep } from '@svc/contract/account-shapes';
import { CallFailure, call } from './calls.ts';
import type { AskOptions, SignedProof } from './passkey.ts';
import { person } from './person.ts';

const post = <T>(path: string, body: object): Promise<T> =>
  call<T>('POST', `/v1/account${path}`, { body, isVisitor: true });

/** Replaces the message by the form's own: the service gives all kinds of sign-in the same message. */
const replaceMessage =
  (message: string) =>
  (cause: unknown): never => {
    if (!(cause instanceof CallFailure) || cause.code !== 'sign_in_failed') throw cause;
    throw new CallFailure(cause.status, { ...cause.facts, message });
  };

export const signIn = (email: string, password: string): Promise<SignInStep> =>
  post<SignInStep>('/sign-in', { email: email.trim(), password }).catch(
    replaceMessage('The address or the password is wrong.'),
  );

export const giveSecondFactor = (
  proof: { readonly code: string } | { readonly recoveryCode: string },
): Promise<unknown> =>
  post('/sign-in/second-factor', proof).catch(
    replaceMessage(
      'code' in proof
        ? 'The code is wrong or was used before.'
        : 'The recovery code is wrong or was used before.',
    ),
  );

export const passkeyOptions = (): Promise<AskOptions> => post('/sign-in/passkey-options', {});

export const signInWithPasskey = (proof: SignedProof): Promise<unknown> =>
  post('/sign-in/passkey', proof).catch(replaceMessage('This passkey opens no account here.'));

/** A new proof of identity by the signed-in person, which the service requires before sensitive changes. */
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

/** The response is the same whether or not such an account exists. */
export const askForReset = (email: string): Promise<unknown> => post('/password-reset', { email });

export const choosePassword = (link: string, password: string): Promise<unknown> =>
  post('/password-reset/complete', { link, password });
