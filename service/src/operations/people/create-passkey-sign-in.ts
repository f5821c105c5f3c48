import { createPasskeySignIn as row } from '@svc/contract/account/account';
import { implement } from '../../engine/implement.ts';
import { requestOptions, signInAsking } from '../../engine/steps/people/passkey-proof.ts';

/** Returns the options with which a browser asks its authenticator; no address is needed. */
export const createPasskeySignIn = implement(row)(async (_input, _caller, ports) => ({
  status: 200,
  body: await requestOptions(signInAsking, [], ports),
}));
