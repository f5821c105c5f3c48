import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idSource } from '../../domain/protocol/uuid-v7.ts';
import { newRequestId } from '../../http/wire/request-id.ts';
import {
  packInitiator,
  unpackInitiator,
  unpackNetwork,
  unpackRequest,
} from './request-initiator.ts';

const newId = idSource(Date.now, randomBytes);
const asker = { via: 'token', userId: newId(), tokenId: newId() } as const;

describe('packInitiator', () => {
  it('gives back every request id', () => {
    const character = fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ');
    const rest = fc.array(character, { minLength: 25, maxLength: 25 });
    fc.assert(
      fc.property(fc.constantFrom(...'01234567'), rest, (first, others) => {
        const id = `req_${first}${others.join('')}`;
        const packed = packInitiator(id, asker);
        expect(packed && unpackRequest(packed)).toBe(id);
      }),
    );
    const id = newRequestId();
    expect(unpackRequest(packInitiator(id, asker) ?? Buffer.alloc(0))).toBe(id);
  });

  it('holds the credential, and the person where the credential may go', () => {
    const hex = (id: string) => id.replaceAll('-', '');
    const byToken = packInitiator(newRequestId(), asker);
    expect(byToken?.length).toBe(33);
    expect([byToken?.[0], byToken?.subarray(17).toString('hex')]).toEqual([0, hex(asker.tokenId)]);
    const byPerson = packInitiator(newRequestId(), { ...asker, via: 'person' });
    expect([byPerson?.[0], byPerson?.subarray(17).toString('hex')]).toEqual([
      2,
      hex(asker.tokenId) + hex(asker.userId),
    ]);
  });

  it.each([
    ['203.0.113.9', 4],
    ['0.0.0.255', 4],
    ['2001:db8:0:1::/64', 8],
    ['fe80:0:0:0::/64', 8],
    ['unknown', 0],
    ['', 0],
    ['2001:db8::1', 0],
    ['300.1.1.1', 0],
  ])('holds the network %s in %i bytes, whatever the credential', (address, bytes) => {
    for (const via of ['token', 'oauth', 'person'] as const) {
      const id = newRequestId();
      const packed = packInitiator(id, { ...asker, via, address });
      expect(packed?.length).toBe((via === 'token' ? 33 : 49) + bytes);
      expect(packed && unpackRequest(packed)).toBe(id);
      expect(packed && unpackNetwork(packed)).toBe(bytes > 0 ? address : null);
      expect(packed && unpackInitiator(packed)).toEqual({
        requestId: id,
        via,
        credentialId: asker.tokenId,
        userId: via === 'token' ? null : asker.userId,
        network: bytes > 0 ? address : null,
      });
    }
    expect(unpackNetwork(packInitiator(newRequestId(), asker) ?? Buffer.alloc(0))).toBeNull();
  });

  it('is null for an id of another form: it is kept as it is', () => {
    for (const id of ['req_test', '', newRequestId().toLowerCase(), `${newRequestId()}0`]) {
      expect(packInitiator(id, asker)).toBeNull();
    }
    expect(packInitiator(newRequestId(), { ...asker, tokenId: 'x' })).toBeNull();
  });
});
