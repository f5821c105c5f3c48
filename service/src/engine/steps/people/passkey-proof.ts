// Verifies passkeys: WebAuthn level 2, §7.1 and §7.2, by @simplewebauthn/server. Our own checks
// are: the challenge, which is spent before anything else is checked, the owner of the passkey, and
// which keys are accepted. docs/decisions/people.md.

import { hash } from 'node:crypto';
import type {
  AssertedPasskey,
  CreatedPasskey,
  PasskeyRequest,
} from '@svc/contract/account/passkeys';
import { passkeyAlgorithms, userHandle } from '../../../domain/people/passkey.ts';
import { challengeLifeMs } from '../../../domain/people/sign-in.ts';
import { parseBase64url } from '../../../domain/protocol/base64url.ts';
import type { Tx } from '../../../storage/database/database.ts';
import {
  type ChallengePurpose,
  insertPasskeyChallenge,
  type ListedPasskey,
  lockPasskey,
  type StoredPasskey,
  takePasskeyChallenge,
  updatePasskeyUse,
} from '../../../storage/people/passkeys.ts';
import type { Ports } from '../../ports.ts';
import { readCoseKey, writeCoseKey } from './passkey-keys.ts';

type ChallengeContext = {
  readonly purpose: ChallengePurpose;
  /** The sign-in that asks; null when the passkey is used to sign in. */
  readonly signInId: string | null;
};

/** The context of the challenge with which a person signs in by passkey. */
export const signInAsking: ChallengeContext = { purpose: 'sign_in', signInId: null };

export const rpIdOf = (ports: Pick<Ports, 'settings'>): string =>
  new URL(ports.settings.baseUrl).hostname;

/** Creates a challenge that can be signed once within five minutes. */
export async function newChallenge(asking: ChallengeContext, ports: Ports): Promise<string> {
  const challenge = ports.randomBytes(32).toString('base64url');
  const sha256 = hash('sha256', challenge, 'buffer');
  await insertPasskeyChallenge(ports.database, { ...asking, sha256, lifeMs: challengeLifeMs });
  return challenge;
}

export const describe = ({ credentialId, transports }: ListedPasskey) => ({
  type: 'public-key' as const,
  id: credentialId.toString('base64url'),
  transports: [...transports],
});

/**
 * The options for `navigator.credentials.get`. Without passkeys in the list the browser offers all
 * that it has.
 */
export async function requestOptions(
  asking: ChallengeContext,
  passkeys: readonly ListedPasskey[],
  ports: Ports,
): Promise<PasskeyRequest> {
  return {
    challenge: await newChallenge(asking, ports),
    timeout: challengeLifeMs,
    rpId: rpIdOf(ports),
    allowCredentials: passkeys.map(describe),
    userVerification: 'required',
  };
}

/** Loaded at the first ceremony, because most processes of a service never run one. */
async function openLibrary() {
  const [ceremonies, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  return { ...ceremonies, helpers };
}

type Library = Awaited<ReturnType<typeof openLibrary>>;

/**
 * Returns undefined when the library throws: it does so for every malformed or wrong response. Its
 * messages are not used.
 */
async function undefinedOnError<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

/**
 * Spends the challenge that was signed, and returns it. Returns undefined when it is not ours, or
 * when the page is in a frame of another origin. The library checks the rest of the client data.
 */
async function takeChallenge(
  clientDataJSON: string,
  { asking, library }: { asking: ChallengeContext; library: Library },
  ports: Ports,
): Promise<string | undefined> {
  const { helpers } = library;
  const data = await undefinedOnError(async () => helpers.decodeClientDataJSON(clientDataJSON));
  const { challenge, crossOrigin } = data ?? {};
  if (typeof challenge !== 'string') return undefined;
  const sha256 = hash('sha256', challenge, 'buffer');
  const isOurs = await takePasskeyChallenge(ports.database, { ...asking, sha256 });
  return isOurs && (crossOrigin === undefined || crossOrigin === false) ? challenge : undefined;
}

/** The origin and the relying party that an answer must be for. */
const expectedOrigins = (ports: Ports) => ({
  expectedOrigin: new URL(ports.settings.baseUrl).origin,
  expectedRPID: rpIdOf(ports),
  requireUserVerification: true,
});

/** The longest id of a credential, in bytes. WebAuthn level 2, §5.8.3 and §7.1. */
const mostIdBytes = 1023;

/**
 * Formats of statements that need no certificate. The library checks the certificates of all others, and
 * `android-safetynet` carries them inside its response, where the check for `x5c` does not look.
 */
const unsignedFormats: readonly string[] = ['none', 'packed'];

export type MadePasskey = Pick<
  StoredPasskey,
  'credentialId' | 'publicKey' | 'algorithm' | 'signCount'
>;

/**
 * Verifies a passkey that a browser created for this sign-in; undefined when it does not verify. No
 * attestation is accepted: the library would fetch the addresses that its certificates name.
 */
export async function verifyCreated(
  created: CreatedPasskey,
  signInId: string,
  ports: Ports,
): Promise<MadePasskey | undefined> {
  const { id, clientDataJSON, attestationObject } = created;
  const credentialId = parseBase64url(id);
  const attestation = parseBase64url(attestationObject);
  if (!credentialId || !attestation || !parseBase64url(clientDataJSON)) return undefined;
  if (credentialId.length > mostIdBytes) return undefined;
  const library = await openLibrary();
  const asking: ChallengeContext = { purpose: 'add', signInId };
  const expectedChallenge = await takeChallenge(clientDataJSON, { asking, library }, ports);
  if (expectedChallenge === undefined) return undefined;
  return undefinedOnError(async () => {
    const { helpers } = library;
    const decoded = helpers.decodeAttestationObject(Uint8Array.from(attestation));
    if (!unsignedFormats.includes(decoded.get('fmt'))) return undefined;
    if (decoded.get('attStmt').get('x5c') !== undefined) return undefined;
    const response = { clientDataJSON, attestationObject, transports: [] };
    const { verified, registrationInfo } = await library.verifyRegistrationResponse({
      response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge,
      ...expectedOrigins(ports),
      supportedAlgorithmIDs: [...passkeyAlgorithms],
    });
    if (!verified || registrationInfo.credential.id !== id) return undefined;
    const { publicKey, counter: signCount } = registrationInfo.credential;
    const key = readCoseKey(publicKey, helpers);
    return key && { credentialId, publicKey: key.der, algorithm: key.algorithm, signCount };
  });
}

export type ReadAssertion = {
  readonly credentialId: Buffer;
  readonly asserted: AssertedPasskey;
  readonly challenge: string;
};

/** Reads an assertion whose challenge was ours, and spends the challenge; returns undefined for any other. */
export async function readAssertion(
  asserted: AssertedPasskey,
  asking: ChallengeContext,
  ports: Ports,
): Promise<ReadAssertion | undefined> {
  const credentialId = parseBase64url(asserted.id);
  const { clientDataJSON, authenticatorData, signature } = asserted;
  const isPlain = [clientDataJSON, authenticatorData, signature].every(
    (text) => parseBase64url(text) !== undefined,
  );
  if (!credentialId || !isPlain) return undefined;
  const library = await openLibrary();
  const challenge = await takeChallenge(clientDataJSON, { asking, library }, ports);
  return challenge === undefined ? undefined : { credentialId, asserted, challenge };
}

export type JudgedAssertion =
  | { readonly isRight: true; readonly userId: string; readonly passkeyId: string }
  /** The owner of the passkey that was presented, where it is known. */
  | { readonly isRight: false; readonly userId: string | null };

/**
 * Verifies signature, owner and counter, and counts the use. `ownerId` null: the passkey itself
 * determines the person.
 */
export async function takeAssertion(
  tx: Tx,
  { read, ownerId }: { readonly read: ReadAssertion; readonly ownerId: string | null },
  ports: Ports,
): Promise<JudgedAssertion> {
  const passkey = await lockPasskey(tx, read.credentialId);
  if (!passkey) return { isRight: false, userId: null };
  const { id, userId } = passkey;
  const named = read.asserted.userHandle ?? null;
  const isNamed = named === null || named === userHandle(userId);
  const isOwner = isNamed && (ownerId === null || ownerId === userId);
  const signCount = isOwner ? await verifyAsserted(read, passkey, ports) : undefined;
  if (signCount === undefined) return { isRight: false, userId };
  await updatePasskeyUse(tx, id, signCount);
  return { isRight: true, userId, passkeyId: id };
}

/** Returns the authenticator's counter; undefined where the assertion is wrong. */
async function verifyAsserted(
  { asserted, challenge }: ReadAssertion,
  passkey: StoredPasskey,
  ports: Ports,
): Promise<number | undefined> {
  const library = await openLibrary();
  const { id, clientDataJSON, authenticatorData, signature } = asserted;
  const { publicKey: der, algorithm, signCount: counter } = passkey;
  return undefinedOnError(async () => {
    const publicKey = writeCoseKey({ der, algorithm }, library.helpers);
    if (!publicKey) return undefined;
    const response = { clientDataJSON, authenticatorData, signature };
    const { verified, authenticationInfo } = await library.verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      ...expectedOrigins(ports),
      credential: { id, publicKey, counter },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  });
}
