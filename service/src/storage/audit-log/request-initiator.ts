// Packs who asked for a move of money and from where, in hardly more bytes than the request's id
// would take as text. Migrations 0066 and 0076 define the layout.

import assert from 'node:assert';
import { crockford, writeCrockford } from '../../domain/protocol/crockford.ts';
import { writtenUuidPattern } from '../../domain/protocol/uuid.ts';

const kinds = ['token', 'oauth', 'person'] as const;

/** The credential behind an operation. */
export type RequestInitiator = {
  readonly via: (typeof kinds)[number];
  readonly userId: string;
  /** The id of the API token, OAuth grant or sign-in. */
  readonly tokenId: string;
  /** The network of the caller, as rate limits count it: an IPv4 address or an IPv6 /64. */
  readonly address?: string;
  /**
   * Set for a token that this request did not read from the database: the operation is claimed only
   * if the token is still valid.
   */
  readonly recalled?: { readonly tokenSha256: Buffer };
};

const requestPattern = /^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const requestBytes = 16;

/** Returns null when the ids do not have the service's own form; the request's id is then stored as text. */
export function packInitiator(requestId: string, asker: RequestInitiator): Buffer | null {
  if (!requestPattern.test(requestId)) return null;
  if (!writtenUuidPattern.test(asker.tokenId) || !writtenUuidPattern.test(asker.userId))
    return null;
  // API tokens are never deleted and their rows name the owner.
  const ids = asker.via === 'token' ? [asker.tokenId] : [asker.tokenId, asker.userId];
  return Buffer.concat([
    Buffer.of(kinds.indexOf(asker.via)),
    packRequest(requestId),
    ...ids.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex')),
    packNetwork(asker.address ?? ''),
  ]);
}

const nothing = Buffer.alloc(0);

/** Returns an empty buffer when the network is unknown. */
function packNetwork(network: string): Buffer {
  const parts = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(network) ? network.split('.').map(Number) : [];
  if (parts.length === 4 && parts.every((part) => part < 256)) return Buffer.from(parts);
  const groups = /^([0-9a-f]{1,4}):([0-9a-f]{1,4}):([0-9a-f]{1,4}):([0-9a-f]{1,4})::\/64$/.exec(
    network,
  );
  if (!groups) return nothing;
  return Buffer.from(
    groups
      .slice(1)
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  );
}

/** Unpacks what `packInitiator` packed. */
export function unpackInitiator(askedBy: Buffer): {
  readonly requestId: string;
  readonly via: RequestInitiator['via'];
  readonly credentialId: string;
  /** Null for an API token, whose row names its owner. */
  readonly userId: string | null;
  readonly network: string | null;
} {
  const via = kinds[askedBy[0] ?? -1];
  assert(via, `an unknown kind of credential: ${askedBy[0]}`);
  const idAt = (at: number) => {
    const start = 1 + requestBytes + at * 16;
    const hex = askedBy.subarray(start, start + 16).toString('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };
  return {
    requestId: unpackRequest(askedBy),
    via,
    credentialId: idAt(0),
    userId: via === 'token' ? null : idAt(1),
    network: unpackNetwork(askedBy),
  };
}

/** Returns the network from what `packInitiator` packed; null when it was not known. */
export function unpackNetwork(askedBy: Buffer): string | null {
  const ids = askedBy[0] === kinds.indexOf('token') ? 1 : 2;
  const packed = askedBy.subarray(1 + requestBytes + ids * 16);
  if (packed.length === 4) return packed.join('.');
  if (packed.length !== 8) return null;
  const groups = [0, 2, 4, 6].map((at) => packed.readUInt16BE(at).toString(16));
  return `${groups.join(':')}::/64`;
}

/** Returns the request's id from what `packInitiator` packed. */
export function unpackRequest(askedBy: Buffer): string {
  let bits = 0n;
  for (const byte of askedBy.subarray(1, 1 + requestBytes)) bits = (bits << 8n) | BigInt(byte);
  return `req_${writeCrockford(bits, 26)}`;
}

/** Packs 26 characters of five bits each, of which the first two bits are always zero. */
function packRequest(requestId: string): Buffer {
  const bytes = Buffer.alloc(requestBytes);
  let held = 0;
  let bits = -2;
  let at = 0;
  for (const character of requestId.slice(4)) {
    held = ((held << 5) | crockford.indexOf(character)) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (held >> bits) & 0xff;
    }
  }
  return bytes;
}

/** Returns the values of `request_id` and `asked_by`: exactly one of them holds the request's id. */
export function initiatorColumns(by: {
  readonly requestId: string | null;
  readonly asker?: RequestInitiator | undefined;
}): [requestId: string | null, askedBy: Buffer | null] {
  const packed = by.asker && by.requestId !== null ? packInitiator(by.requestId, by.asker) : null;
  return packed ? [null, packed] : [by.requestId, null];
}
