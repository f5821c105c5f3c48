// Forged and malformed credentials: Authorization headers, API tokens and bearers in the shape of JWTs.
// Each is the lines of Authorization that are sent.

import { createHmac, generateKeyPairSync, hash, randomBytes, sign } from 'node:crypto';
import { newApiToken } from '../../src/domain/people/api-token.ts';
import { basicHeader } from '../harness.ts';

export type ForgedCredential = readonly [title: string, ...lines: string[]];

/** A valid credential, and values that are no longer valid. */
export type GenuineCredential = {
  readonly clientId: string;
  readonly otherClientId: string;
  readonly userId: string;
  readonly tokenId: string;
  readonly token: string;
  readonly revoked: string;
  readonly expired: string;
  readonly rotatedAway: string;
  /** The earlier value of the token, after the end of the overlap. */
  readonly overlapOver: string;
  /** A token of the same person at the other client. */
  readonly ofOtherClient: string;
  /** A token of somebody who has left the client. */
  readonly ofFormerMember: string;
  /** A valid OAuth access token. */
  readonly accessToken: string;
};

const base64 = (text: string, encoding: BufferEncoding = 'latin1') =>
  Buffer.from(text, encoding).toString('base64');

/** The valid pair in every spelling except the valid one. */
export function malformedHeaders({ clientId, token }: GenuineCredential): ForgedCredential[] {
  const pair = `${clientId}:${token}`;
  const right = base64(pair);
  const unpadded = right.replace(/=+$/, '');
  const raw: ForgedCredential[] = [
    ['no value', ''],
    ['the scheme alone', 'Basic'],
    ['the credentials alone', right],
    ['the pair alone', pair],
    ['the pair without base64', `Basic ${pair}`],
    ['two blanks', `Basic  ${right}`],
    ['a tab', `Basic\t${right}`],
    ['no blank', `Basic${right}`],
    ['a colon after the scheme', `Basic: ${right}`],
    ['an equals sign after the scheme', `Basic=${right}`],
    ['the scheme twice', `Basic Basic ${right}`],
    ['two in one line', `Basic ${right}, Basic ${right}`],
    ['a bearer behind it', `Basic ${right}, Bearer x`],
    ['a parameter behind it', `Basic ${right}, realm="svc"`],
    ['quoted', `Basic "${right}"`],
    ['in brackets', `Basic <${right}>`],
    ['junk in front', `Basic !${right}`],
    ['junk within', `Basic ${right.slice(0, 20)}*${right.slice(20)}`],
    ['junk behind', `Basic ${right}x`],
    ['a blank within', `Basic ${right.slice(0, 20)} ${right.slice(20)}`],
    ['padding too much', `Basic ${unpadded}====`],
    ['padding within', `Basic ${right.slice(0, 8)}==${right.slice(8)}`],
    ['cut by one', `Basic ${right.slice(0, -1)}`],
    ['cut by four', `Basic ${unpadded.slice(0, -4)}`],
    ['in base64url', `Basic ${Buffer.from(`${pair}??>>`).toString('base64url')}`],
    ['in base64 twice', `Basic ${base64(right)}`],
    ['in hex', `Basic ${Buffer.from(pair).toString('hex')}`],
    ['percent-encoded', `Basic ${encodeURIComponent(`${right}=`)}`],
    ['in UTF-16', `Basic ${base64(pair, 'utf16le')}`],
    ['with a byte order mark', `Basic ${base64(`\ufeff${pair}`, 'utf8')}`],
    ['as JSON', `Basic ${base64(JSON.stringify({ username: clientId, password: token }))}`],
    ['over 1 KiB', `Basic ${'A'.repeat(1100)}`],
    ['8 KiB', `Basic ${'QUFB'.repeat(2000)}`],
    ['twice the same', `Basic ${right}`, `Basic ${right}`],
    ['a right one and an empty one', `Basic ${right}`, ''],
    ['a wrong one and a right one', 'Basic x', `Basic ${right}`],
    ['a right one and a bearer', `Basic ${right}`, `Bearer ${token}`],
  ];
  const schemes = [
    'Bearer',
    'Digest',
    'Negotiate',
    'Token',
    'ApiKey',
    'DPoP',
    'basic-auth',
    'Básic',
  ];
  return [
    ...raw,
    ...schemes.map((scheme): ForgedCredential => [`scheme ${scheme}`, `${scheme} ${right}`]),
    ...(unpadded === right ? [] : [['without padding', `Basic ${unpadded}`] as const]),
  ];
}

/** Well-formed pairs with an unknown user or password. */
export function wrongPairs(genuine: GenuineCredential): ForgedCredential[] {
  const { clientId, token } = genuine;
  const users: Record<string, string> = {
    'no user': '',
    'another client': genuine.otherClientId,
    'an unknown client': '018f6e5c-0000-7000-8000-0000000fffff',
    'the nil UUID': '00000000-0000-0000-0000-000000000000',
    'a UUID in braces': `{${clientId}}`,
    'a URN': `urn:uuid:${clientId}`,
    'a UUID without hyphens': clientId.replaceAll('-', ''),
    'a UUID cut by one': clientId.slice(0, -1),
    'a UUID and one more': `${clientId}0`,
    'a blank in front': ` ${clientId}`,
    'a blank behind': `${clientId} `,
    'a NUL behind': `${clientId}\0`,
    'a newline behind': `${clientId}\n`,
    'another character in front': `x${clientId}`,
    'digits of full width': clientId.replace(/\d/, '\uff11'),
    'an underscore for a hyphen': clientId.replace('-', '_'),
    'the owner’s id': genuine.userId,
    'the token’s id': genuine.tokenId,
    'the token itself': token,
    'a question of SQL': `${clientId}' or '1'='1`,
    'a wildcard': '%',
    'a path': `../${clientId}`,
    é: 'é',
  };
  const passwords: Record<string, string> = {
    'no password': '',
    'a password of blanks': '   ',
    'the word token': 'token',
    'a newline behind the token': `${token}\n`,
    'a blank in front of the token': ` ${token}`,
    'a NUL behind the token': `${token}\0`,
    'a colon and more behind': `${token}:x`,
    'a colon in front': `:${token}`,
    'the token twice': token + token,
    'cut by one': token.slice(0, -1),
    'one more': `${token}0`,
    'the prefix alone': 'svc_',
    'the prefix in capitals': token.replace('svc_', 'SVC_'),
    'a hyphen in the prefix': token.replace('svc_', 'svc-'),
    'no prefix': token.slice(4),
    'a webhook secret': `svc_whsec_${randomBytes(32).toString('base64')}`,
    'its digest in hex': hash('sha256', token),
    'its digest in base64': hash('sha256', token, 'base64'),
    'its digest behind the prefix': `svc_${hash('sha256', token).slice(0, 49)}`,
    'the letters’ case flipped': flipCase(token),
    reversed: `svc_${[...token.slice(4)].reverse().join('')}`,
    'the checksum zeroed': `${token.slice(0, -6)}000000`,
    'the checksum of another': token.slice(0, -6) + newApiToken(randomBytes(32)).slice(-6),
    'a Cyrillic letter': token.replace('s', '\u0455'),
    'a session’s nonce': randomBytes(32).toString('base64url'),
    'an access token': genuine.accessToken,
    revoked: genuine.revoked,
    expired: genuine.expired,
    'rotated away': genuine.rotatedAway,
    'after its overlap': genuine.overlapOver,
    'of the same person at another client': genuine.ofOtherClient,
    'of a former member': genuine.ofFormerMember,
  };
  const at = [4, 5, 20, 46, 47, 48, 49, 50, 51, 52];
  return [
    ...Object.entries(users).map(([title, user]): ForgedCredential => [title, pairOf(user, token)]),
    ...Object.entries(passwords).map(
      ([title, word]): ForgedCredential => [title, pairOf(clientId, word)],
    ),
    ...at.map(
      (n): ForgedCredential => [`character ${n} changed`, pairOf(clientId, changeDigit(token, n))],
    ),
    ...Array.from({ length: 10 }, (_, n): ForgedCredential => {
      return [`well formed and unknown, ${n}`, pairOf(clientId, newApiToken(randomBytes(32)))];
    }),
    ['the pair turned round', pairOf(token, clientId)],
    ['the client alone', `Basic ${base64(clientId)}`],
    ['a colon alone', `Basic ${base64(':')}`],
    ['another client’s token at another client', basicHeader(genuine.otherClientId, token)],
  ];
}

const pairOf = (user: string, password: string) => `Basic ${base64(`${user}:${password}`, 'utf8')}`;
const flipCase = (text: string) =>
  text.slice(0, 4) +
  text.slice(4).replace(/[a-z]/gi, (x) => (x < 'a' ? x.toLowerCase() : x.toUpperCase()));
const changeDigit = (text: string, at: number) =>
  text.slice(0, at) + (text[at] === '7' ? '8' : '7') + text.slice(at + 1);

type Claims = Readonly<Record<string, unknown>>;

/**
 * Bearers in the form of JWTs. Our tokens are opaque, so each of these is only an unknown token.
 */
export function forgedBearers({
  clientId,
  userId,
  token,
  accessToken,
}: GenuineCredential): ForgedCredential[] {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ed = generateKeyPairSync('ed25519');
  const issuer = 'http://localhost:4000';
  const now = Math.floor(Date.now() / 1000);
  const claims: Claims = {
    ...{ iss: issuer, sub: userId, aud: issuer, client_id: clientId, scope: 'mcp' },
    ...{ iat: now, nbf: now - 10, exp: now + 3600 },
  };
  const encodePart = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const signToken = (header: Claims, payload: unknown = claims) => {
    const text = `${encodePart({ typ: 'at+jwt', ...header })}.${encodePart(payload)}`;
    return `${text}.${sign('sha256', Buffer.from(text), rsa.privateKey).toString('base64url')}`;
  };
  const hmac = (header: Claims, key: string | Buffer) => {
    const text = `${encodePart({ typ: 'at+jwt', alg: 'HS256', ...header })}.${encodePart(claims)}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  };
  const unsigned = (alg: unknown) => `${encodePart({ typ: 'at+jwt', alg })}.${encodePart(claims)}.`;
  const rs = { alg: 'RS256' };
  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' });
  const jwk = rsa.publicKey.export({ format: 'jwk' });
  const signClaims = (more: Claims) => signToken(rs, { ...claims, ...more });
  const withoutClaim = (name: string) =>
    signToken(rs, Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name)));
  const bearers: Record<string, string> = {
    ...namedValues('alg', ['none', 'None', 'NONE', 'nOnE', '', null, 0], unsigned),
    'HS256 with the public key': hmac({}, pem),
    'HS256 with an empty key': hmac({}, Buffer.of(0)),
    'HS256 with the word secret': hmac({}, 'secret'),
    'HS512 that is HS256': hmac({ alg: 'HS512' }, 'secret'),
    'RS256 of a foreign key': signToken(rs),
    'PS256 that is RS256': signToken({ alg: 'PS256' }),
    'ES256 of a foreign key': (() => {
      const text = `${encodePart({ typ: 'at+jwt', alg: 'ES256' })}.${encodePart(claims)}`;
      const key = { key: ec.privateKey, dsaEncoding: 'ieee-p1363' } as const;
      return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
    })(),
    'EdDSA of a foreign key': (() => {
      const text = `${encodePart({ typ: 'at+jwt', alg: 'EdDSA' })}.${encodePart(claims)}`;
      return `${text}.${sign(null, Buffer.from(text), ed.privateKey).toString('base64url')}`;
    })(),
    'ES256 of zeroes': `${encodePart({ alg: 'ES256' })}.${encodePart(claims)}.${'A'.repeat(86)}`,
    ...namedValues('typ', ['JWT', 'id_token', 'logout+jwt', 'at+jwt ', null], (typ) =>
      signToken({ ...rs, typ }),
    ),
    'an ID token': signToken({ ...rs, typ: 'JWT' }, { ...claims, nonce: 'x', at_hash: 'y' }),
    ...namedValues(
      'exp',
      [now - 1, now - 86_400, String(now + 60), now + 60.5, 1e99, -1, null],
      (exp) => signClaims({ exp }),
    ),
    'without exp': withoutClaim('exp'),
    'valid for a year': signClaims({ exp: now + 31_536_000 }),
    'nbf to come': signClaims({ nbf: now + 3600 }),
    'iat to come': signClaims({ iat: now + 3600 }),
    ...namedValues(
      'aud',
      [[issuer], [], `${issuer}/`, `${issuer}.evil.example`, '*', null],
      (aud) => signClaims({ aud }),
    ),
    'without aud': withoutClaim('aud'),
    ...namedValues(
      'iss',
      [`${issuer}/`, 'https://localhost:4000', 'https://evil.example', null],
      (iss) => signClaims({ iss }),
    ),
    'without sub': withoutClaim('sub'),
    ...namedValues(
      'kid',
      ['../../../dev/null', '/etc/passwd', "' union select 1 --", 'x\0y'],
      (kid) => signToken({ ...rs, kid }),
    ),
    'jku of elsewhere': signToken({ ...rs, jku: 'https://evil.example/jwks' }),
    'x5u of elsewhere': signToken({ ...rs, x5u: 'https://evil.example/cert' }),
    'its own jwk': signToken({ ...rs, jwk }),
    'crit unknown': signToken({ ...rs, crit: ['exp', 'magic'], magic: true }),
    'b64 false': signToken({ ...rs, crit: ['b64'], b64: false }),
    nested: signToken({ ...rs, cty: 'JWT' }, signToken(rs)),
    'duplicate claims': signToken(rs, `{"sub":"x","sub":"${userId}","exp":${now + 60}}`),
    'claims that are no JSON': signToken(rs, 'x'),
    '9 KiB': signClaims({ padding: 'x'.repeat(6900) }),
    'five parts': `${signToken(rs)}.x.y`,
    'two parts': signToken(rs).split('.').slice(0, 2).join('.'),
    'no signature': `${signToken(rs).split('.').slice(0, 2).join('.')}.`,
    'dots alone': '..',
    padded: `${signToken(rs)}==`,
    'an API token': token,
    'client and API token': `${clientId}:${token}`,
    'the pair in base64': base64(`${clientId}:${token}`),
    'an access token and one more': `${accessToken}x`,
    'an access token cut by one': accessToken.slice(0, -1),
    'an access token’s digest': hash('sha256', accessToken),
    nothing: '',
    'well formed and unknown': randomBytes(32).toString('base64url'),
    blanks: '     x',
  };
  return Object.entries(bearers).map(
    ([title, value]): ForgedCredential => [title, `Bearer ${value}`],
  );
}

const namedValues = <T>(name: string, values: readonly T[], make: (value: T) => string) =>
  Object.fromEntries(values.map((value) => [`${name} ${JSON.stringify(value)}`, make(value)]));

/**
 * The secret of a link in every other spelling that a lenient decoder of base64url takes for the same
 * bytes, and in other letters' case. Only the spelling that was mailed may open anything.
 */
export function otherSpellings(secret: string): string[] {
  const bytes = Buffer.from(secret, 'base64url');
  const start = secret.slice(0, -1);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const siblings = [...alphabet]
    .map((last) => start + last)
    .filter((text) => Buffer.from(text, 'base64url').equals(bytes));
  const padded = bytes.toString('base64');
  return [
    ...siblings,
    `${secret}=`,
    padded,
    secret.toLowerCase(),
    secret.toUpperCase(),
    `${secret}.`,
    `${secret} `,
    `${start}.${secret.at(-1)}`,
  ].filter((text) => text !== secret);
}
