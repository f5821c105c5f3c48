import { createPasskeyOptions as row } from '@svc/contract/account/passkeys';
import { passkeyAlgorithms, userHandle } from '../../domain/people/passkey.ts';
import { challengeLifeMs } from '../../domain/people/sign-in.ts';
import { implement, refuse } from '../../engine/implement.ts';
import { describe, newChallenge, rpIdOf } from '../../engine/steps/people/passkey-proof.ts';
import { requirePerson } from '../../engine/steps/people/require-person.ts';
import { findPasskeysOf } from '../../storage/people/passkeys.ts';
import { findUser } from '../../storage/people/users.ts';

/** Returns the options with which a browser creates a passkey. */
export const createPasskeyOptions = implement(row)(async (_input, caller, ports) => {
  const { userId, signInId } = requirePerson(caller);
  const user = (await findUser(ports.database, userId)) ?? refuse('sign_in_required');
  const passkeys = await findPasskeysOf(ports.database, userId);
  return {
    status: 200,
    body: {
      challenge: await newChallenge({ purpose: 'add', signInId }, ports),
      timeout: challengeLifeMs,
      rp: { id: rpIdOf(ports), name: 'Svc' },
      user: {
        id: userHandle(userId),
        name: user.email,
        displayName: user.name ?? user.email,
      },
      pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key' as const, alg })),
      excludeCredentials: passkeys.map(describe),
      authenticatorSelection: {
        residentKey: 'required' as const,
        requireResidentKey: true,
        userVerification: 'required' as const,
      },
      attestation: 'none' as const,
    },
  };
});
