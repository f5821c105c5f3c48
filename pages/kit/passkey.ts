// Passkeys of this browser, converted between its own form and the service's JSON. WebAuthn level 3,
// §5.1.8-10: implemented here, because not every browser with passkeys has these conversions.

type Descriptor = { readonly id: string; readonly transports?: readonly string[] };

/** PublicKeyCredentialRequestOptionsJSON, as far as the service sends it. */
export type AskOptions = {
  readonly challenge: string;
  readonly rpId?: string;
  readonly timeout?: number;
  readonly userVerification?: string;
  readonly allowCredentials?: readonly Descriptor[];
};

/** PublicKeyCredentialCreationOptionsJSON, as far as the service sends it. */
export type CreateOptions = {
  readonly rp: { readonly id?: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly challenge: string;
  readonly pubKeyCredParams: readonly { readonly type: string; readonly alg: number }[];
  readonly timeout?: number;
  readonly attestation?: string;
  readonly authenticatorSelection?: object;
  readonly excludeCredentials?: readonly Descriptor[];
};

/** What the service verifies for a sign-in or a confirmation. */
export type SignedProof = {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly userHandle?: string;
};

/** What the service stores of a new passkey. */
export type NewPasskey = {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly attestationObject: string;
  readonly transports?: string[];
};

/** No passkey was used: the person closed the browser's window, or there is no such passkey. */
export class PasskeyGivenUp extends Error {}

export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'credentials' in navigator;

/** Returns true when the browser suggests passkeys among a field's saved passwords. */
export const suggestsPasskeys = async (): Promise<boolean> =>
  hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

function textOf(bytes: ArrayBuffer): string {
  const plain = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(plain).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

const descriptors = (given: readonly Descriptor[] = []) =>
  given.map(({ id, transports }) => ({
    type: 'public-key' as const,
    id: bytesOf(id),
    ...(transports ? { transports: [...transports] as AuthenticatorTransport[] } : {}),
  }));

async function credentialOf(asking: Promise<Credential | null>): Promise<PublicKeyCredential> {
  const credential = await asking.catch((cause: unknown) => {
    // InvalidStateError: this authenticator already has a passkey of the account.
    const name = cause instanceof DOMException ? cause.name : '';
    throw name === 'InvalidStateError' ? cause : new PasskeyGivenUp(name);
  });
  if (!credential) throw new PasskeyGivenUp('none');
  return credential as PublicKeyCredential;
}

/** Has a passkey sign. With `isSuggested` it waits in the field's list until the person chooses it. */
export async function signWithPasskey(
  options: AskOptions,
  { isSuggested = false, signal }: { isSuggested?: boolean; signal?: AbortSignal } = {},
): Promise<SignedProof> {
  const { challenge, allowCredentials, userVerification, ...rest } = options;
  const credential = await credentialOf(
    navigator.credentials.get({
      publicKey: {
        ...rest,
        challenge: bytesOf(challenge),
        allowCredentials: descriptors(allowCredentials),
        userVerification: (userVerification ?? 'required') as UserVerificationRequirement,
      },
      ...(isSuggested ? { mediation: 'conditional' as const } : {}),
      ...(signal ? { signal } : {}),
    }),
  );
  const answer = credential.response as AuthenticatorAssertionResponse;
  return {
    id: credential.id,
    clientDataJSON: textOf(answer.clientDataJSON),
    authenticatorData: textOf(answer.authenticatorData),
    signature: textOf(answer.signature),
    ...(answer.userHandle ? { userHandle: textOf(answer.userHandle) } : {}),
  };
}

/** Has the browser or a device make a passkey. */
export async function createPasskey(options: CreateOptions): Promise<NewPasskey> {
  const { challenge, user, excludeCredentials, pubKeyCredParams, rp } = options;
  const credential = await credentialOf(
    navigator.credentials.create({
      publicKey: {
        rp,
        user: { ...user, id: bytesOf(user.id) },
        challenge: bytesOf(challenge),
        pubKeyCredParams: pubKeyCredParams.map(({ alg }) => ({ type: 'public-key', alg })),
        excludeCredentials: descriptors(excludeCredentials),
        attestation: 'none',
        ...(options.timeout ? { timeout: options.timeout } : {}),
        ...(options.authenticatorSelection
          ? { authenticatorSelection: options.authenticatorSelection }
          : {}),
      },
    }),
  );
  const answer = credential.response as AuthenticatorAttestationResponse;
  return {
    id: credential.id,
    clientDataJSON: textOf(answer.clientDataJSON),
    attestationObject: textOf(answer.attestationObject),
    transports: answer.getTransports?.() ?? [],
  };
}
