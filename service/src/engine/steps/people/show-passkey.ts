import type { Passkey } from '@svc/contract/account/passkeys';
import type { PasskeyView } from '../../../storage/people/passkeys.ts';

/** Returns a passkey as the API shows it. */
export const toPasskey = ({ id, name, createdAt, lastUsedAt }: PasskeyView): Passkey => ({
  id,
  name,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt ? lastUsedAt.toISOString() : null,
});
