import { createAuthenticator as row } from '@svc/contract/account/authenticator';
import { base32, totpUri } from '../../domain/people/totp.ts';
import { implement, refuse } from '../../engine/implement.ts';
import { lockPerson, requirePerson } from '../../engine/steps/people/require-person.ts';
import { totpPlace } from '../../engine/steps/people/second-factor.ts';
import { everyClient } from '../../storage/database/database.ts';
import { updateTotpSecret } from '../../storage/people/users.ts';

/** In bytes: as long as the digest of the HMAC. RFC 4226 §4. */
const secretLength = 20;
const issuer = 'Svc';

/** Creates a secret, which replaces one that was never confirmed. Refuses totp_already_on. */
export const createAuthenticator = implement(row)(async (_input, caller, ports) => {
  const person = requirePerson(caller);
  const { userId } = person;
  const bytes = ports.randomBytes(secretLength);
  const email = await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    if (user.hasTotp) return refuse('totp_already_on');
    const sealed = ports.sealedHere.seal(totpPlace(userId), bytes.toString('hex'));
    await updateTotpSecret(tx, userId, sealed);
    return user.email;
  });
  const secret = base32(bytes);
  return { status: 201, body: { secret, uri: totpUri({ issuer, account: email, secret }) } };
});
