import {
  createPasskey as createRow,
  deletePasskey as deleteRow,
  listPasskeys as listRow,
  createPasskeyOptions as optionsRow,
  type Passkey,
  updatePasskey as updateRow,
} from '@svc/contract/passkeys';
import { passkeyAlgorithms, userHandle } from '../../domain/people/passkey.ts';
import { challengeLifeMs } from '../../domain/people/sign-in.ts';
import { implement, refuse } from '../../engine/implement.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { queueNotice } from '../../engine/steps/people/notices.ts';
import {
  describe,
  newChallenge,
  rpIdOf,
  verifyCreated,
} from '../../engine/steps/people/passkey-proof.ts';
import { lockPerson, requirePerson } from '../../engine/steps/people/require-person.ts';
import {
  countPasskeys,
  findPasskeysOf,
  insertPasskey,
  type PasskeyView,
  removePasskey,
  renamePasskey,
} from '../../storage/accounts/passkeys.ts';
import { findUser } from '../../storage/accounts/users.ts';
import { everyClient } from '../../storage/database/database.ts';

/** More than anybody needs, and few enough to list. */
const mostPasskeys = 50;

const toPasskey = ({ id, name, createdAt, lastUsedAt }: PasskeyView): Passkey => ({
  id,
  name,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt ? lastUsedAt.toISOString() : null,
});

/** Returns the options with which a browser creates a passkey. */
export const createPasskeyOptions = implement(optionsRow)(async (_input, caller, ports) => {
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

/** Adds a passkey that the browser created. Refuses passkey_invalid. */
export const createPasskey = implement(createRow)(async ({ body }, caller, ports) => {
  const person = requirePerson(caller);
  const { userId, signInId } = person;
  const { name, passkey: created } = body;
  const made = await verifyCreated(created, signInId, ports);
  if (!made) return refuse('passkey_invalid');
  const id = ports.newId();
  const added = await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    if ((await countPasskeys(tx, userId)) >= mostPasskeys) {
      const message = `An account has ${mostPasskeys} passkeys at most.`;
      return refuse('passkey_invalid', { message });
    }
    const { transports = [] } = created;
    const passkey = await insertPasskey(tx, { ...made, id, userId, name, transports });
    if (!passkey) return refuse('passkey_invalid');
    const about = { resourceType: 'passkey', resourceId: id, userId, after: { name } };
    await recordChange(tx, caller, { action: 'passkey.added', ...about }, ports);
    await queueNotice(tx, { to: user.email, kind: 'passkey_added' }, ports);
    return passkey;
  });
  return { status: 201, body: toPasskey(added) };
});

/** Lists the person's passkeys, the newest first. */
export const listPasskeys = implement(listRow)(async (_input, caller, ports) => {
  const { userId } = requirePerson(caller);
  const passkeys = await findPasskeysOf(ports.database, userId);
  return { status: 200, body: { data: passkeys.map(toPasskey) } };
});

/** Renames a passkey. Refuses passkey_not_found. */
export const updatePasskey = implement(updateRow)(async (input, caller, ports) => {
  const { userId } = requirePerson(caller);
  const { passkeyId: id, body } = input;
  const passkey = await ports.database.transaction(everyClient, async (tx) => {
    const renamed = await renamePasskey(tx, { id, userId, name: body.name });
    if (!renamed) return refuse('passkey_not_found');
    const { former } = renamed;
    const change = { before: { name: former }, after: { name: body.name } };
    const about = { resourceType: 'passkey', resourceId: id, userId };
    await recordChange(tx, caller, { action: 'passkey.renamed', ...about, ...change }, ports);
    return renamed.passkey;
  });
  return { status: 200, body: toPasskey(passkey) };
});

/** Removes a passkey, unless no other way to sign in is left. Refuses passkey_not_found, last_proof_kept. */
export const deletePasskey = implement(deleteRow)(async ({ passkeyId: id }, caller, ports) => {
  const person = requirePerson(caller);
  const { userId } = person;
  await ports.database.transaction(everyClient, async (tx) => {
    const user = await lockPerson(tx, person);
    const name = await removePasskey(tx, id, userId);
    if (name === undefined) return refuse('passkey_not_found');
    if (user.passwordHash === null && (await countPasskeys(tx, userId)) === 0) {
      return refuse('last_proof_kept');
    }
    const about = { resourceType: 'passkey', resourceId: id, userId, before: { name } };
    await recordChange(tx, caller, { action: 'passkey.removed', ...about }, ports);
    return queueNotice(tx, { to: user.email, kind: 'passkey_removed' }, ports);
  });
  return { status: 204 };
});
