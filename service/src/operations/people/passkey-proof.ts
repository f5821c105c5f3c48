// Whether a passkey is the right one: WebAuthn level 2, §7.1 and §7.2. Challenges are spent before
// anything else is looked at.

import { createPublicKey, hash, type JsonWebKey, timingSafeEqual, verify } from 'node:crypto';
import type { AssertedPasskey, CreatedPasskey, PasskeyRequest } from '@svc/contract/passkeys';
import {
  type AuthenticatorData,
  isCountingOn,
  type PasskeyAlgorithm,
  parseAttestation,
  parseAuthenticatorData,
  parseBase64url,
  parseClientData,
  userHandle,
} from '../../domain/passkey.ts';
import { challengeLifeMs } from '../../domain/sign-in.ts';
import type { Tx } from '../../storage/database.ts';
import {
  type ChallengePurpose,
  insertPasskeyChallenge,
  type ListedPasskey,
  lockPasskey,
  type StoredPasskey,
  takePasskeyChallenge,
  updatePasskeyUse,
} from '../../storage/passkeys.ts';
import type { Ports } from '../ports.ts';

type Asking = {
  readonly purpose: ChallengePurpose;
  /** The sign-in that asks; null for signing in itself. */
  readonly signInId: string | null;
};

export const rpIdOf = (ports: Pick<Ports, 'settings'>): string =>
  new URL(ports.settings.baseUrl).hostname;

/** A challenge to be signed once within five minutes. */
export async function newChallenge(asking: Asking, ports: Ports): Promise<string> {
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

/** Options for `navigator.credentials.get`; without passkeys the browser offers all it has. */
export async function requestOptions(
  asking: Asking,
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

/** Spends the challenge that was signed; false where the page, the type or the challenge is not ours. */
async function takeClientData(
  bytes: Buffer,
  { type, asking }: { readonly type: string; readonly asking: Asking },
  ports: Ports,
): Promise<boolean> {
  const clientData = parseClientData(bytes);
  if (!clientData) return false;
  const sha256 = hash('sha256', clientData.challenge, 'buffer');
  const isOurs = await takePasskeyChallenge(ports.database, { ...asking, sha256 });
  const isOwnPage = clientData.origin === new URL(ports.settings.baseUrl).origin;
  return isOurs && isOwnPage && clientData.type === type && !clientData.isCrossOrigin;
}

/** The person was there, and was verified, at an authenticator that signs for us. */
function isGenuine(data: AuthenticatorData, ports: Ports): boolean {
  const isOurs = timingSafeEqual(data.rpIdSha256, hash('sha256', rpIdOf(ports), 'buffer'));
  return isOurs && data.isUserPresent && data.isUserVerified;
}

export type MadePasskey = Pick<
  StoredPasskey,
  'credentialId' | 'publicKey' | 'algorithm' | 'signCount'
>;

/** What a browser made for this sign-in; undefined when it is not right. Attestation is not asked. */
export async function verifyCreated(
  created: CreatedPasskey,
  signInId: string,
  ports: Ports,
): Promise<MadePasskey | undefined> {
  const clientData = parseBase64url(created.clientDataJSON);
  const attestation = parseBase64url(created.attestationObject);
  if (!clientData || !attestation) return undefined;
  const asking: Asking = { purpose: 'add', signInId };
  if (!(await takeClientData(clientData, { type: 'webauthn.create', asking }, ports))) {
    return undefined;
  }
  const bytes = parseAttestation(attestation);
  const data = bytes && parseAuthenticatorData(bytes);
  if (!data?.made || !isGenuine(data, ports)) return undefined;
  const { credentialId, key } = data.made;
  if (credentialId.toString('base64url') !== created.id) return undefined;
  const publicKey = publicKeyOf(key.jwk);
  return (
    publicKey && { credentialId, publicKey, algorithm: key.algorithm, signCount: data.signCount }
  );
}

/** DER; undefined for numbers that are no key. */
function publicKeyOf(jwk: JsonWebKey): Buffer | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' });
  } catch {
    return undefined;
  }
}

export type ReadAssertion = {
  readonly credentialId: Buffer;
  /** What the authenticator signed. */
  readonly signed: Buffer;
  readonly signature: Buffer;
  readonly signCount: number;
  readonly userHandle: string | null;
};

/** All of an assertion that can be judged without its passkey; undefined when that is not right. */
export async function readAssertion(
  asserted: AssertedPasskey,
  asking: Asking,
  ports: Ports,
): Promise<ReadAssertion | undefined> {
  const clientData = parseBase64url(asserted.clientDataJSON);
  const bytes = parseBase64url(asserted.authenticatorData);
  const credentialId = parseBase64url(asserted.id);
  const signature = parseBase64url(asserted.signature);
  if (!clientData || !bytes || !credentialId || !signature) return undefined;
  if (!(await takeClientData(clientData, { type: 'webauthn.get', asking }, ports))) {
    return undefined;
  }
  const data = parseAuthenticatorData(bytes);
  if (!data || !isGenuine(data, ports)) return undefined;
  return {
    credentialId,
    signed: Buffer.concat([bytes, hash('sha256', clientData, 'buffer')]),
    signature,
    signCount: data.signCount,
    userHandle: asserted.userHandle ?? null,
  };
}

export type JudgedAssertion =
  | { readonly isRight: true; readonly userId: string; readonly passkeyId: string }
  /** Whose passkey it would have been, where it is known. */
  | { readonly isRight: false; readonly userId: string | null };

const isAlgorithm = (value: number): value is PasskeyAlgorithm => value === -7 || value === -257;

/** Judges signature, owner and counter, and counts the use. `ownerId` null: whose it is, it says. */
export async function takeAssertion(
  tx: Tx,
  read: ReadAssertion,
  ownerId: string | null,
): Promise<JudgedAssertion> {
  const passkey = await lockPasskey(tx, read.credentialId);
  if (!passkey) return { isRight: false, userId: null };
  const { id, userId, signCount } = passkey;
  const isNamed = read.userHandle === null || read.userHandle === userHandle(userId);
  const isOwner = isNamed && (ownerId === null || ownerId === userId);
  const isRight = isOwner && isSigned(read, passkey) && isCountingOn(signCount, read.signCount);
  if (!isRight) return { isRight, userId };
  await updatePasskeyUse(tx, id, read.signCount);
  return { isRight, userId, passkeyId: id };
}

function isSigned({ signed, signature }: ReadAssertion, passkey: StoredPasskey): boolean {
  if (!isAlgorithm(passkey.algorithm)) return false;
  const key = createPublicKey({ key: passkey.publicKey, format: 'der', type: 'spki' });
  return verify('sha256', signed, key, signature);
}
