import { isOneLine, isVisible } from '@svc/contract/servers/plain-text';
import { readHttpsAddress } from '../../../domain/protocol/addresses.ts';
import { isRedirectUri } from '../../../domain/protocol/redirect-uri.ts';
import { refuseField } from '../../refuse-field.ts';

type ApplicationInput = {
  readonly name?: string;
  readonly uri?: string | null;
  readonly redirectUris?: readonly string[];
};

function readName(name: string): string {
  const trimmed = name.trim();
  if (isVisible(trimmed) && isOneLine(trimmed)) return trimmed;
  return refuseField('name', 'The name is 1 to 100 visible characters long.');
}

function readUri(uri: string | null): string | null {
  if (uri === null) return null;
  // In https://pay.example@evil.example a reader would take the user name for the host.
  const read = readHttpsAddress(uri);
  return 'value' in read ? read.value : refuseField('uri', read.problem);
}

function readRedirects(uris: readonly string[]): string[] {
  const wrong = uris.findIndex((uri) => !isRedirectUri(uri));
  if (wrong >= 0) {
    const what = 'an https address, http on a loopback address, or a private scheme with a dot';
    return refuseField(
      `redirectUris[${wrong}]`,
      `A redirect address is ${what}, without fragment.`,
    );
  }
  return [...new Set(uris)];
}

/** Validates the fields that are given. Refuses invalid_request. */
export const readApplication = ({ name, uri, redirectUris }: ApplicationInput) => ({
  ...(name === undefined ? {} : { name: readName(name) }),
  ...(uri === undefined ? {} : { uri: readUri(uri) }),
  ...(redirectUris === undefined ? {} : { redirectUris: readRedirects(redirectUris) }),
});
