import { describe, expect, it } from 'vitest';
import { networkOf } from './network-of.ts';

const networkSeen = (ip: string, remoteAddress = '198.51.100.1') =>
  networkOf({ ip, socket: { remoteAddress } });

describe('networkOf', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['[::ffff:cb00:7109]:4711', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s counts as %s', (address, network) => {
    expect(networkSeen(address)).toBe(network);
  });

  it.each([
    '',
    'unknown',
    '_hidden',
    '203.0.113',
    '203.0.113.9:',
    '203.0.113.9:99999999',
    '[::1',
    'a:b',
  ])('what is no address (%j) counts as where the connection comes from', (written) => {
    expect(networkSeen(written)).toBe('198.51.100.1');
    expect(networkSeen(written, '::ffff:198.51.100.2')).toBe('198.51.100.2');
  });

  it('two networks are two visitors, two ports of one are not', () => {
    expect(networkSeen('2001:db8:1:2::1')).not.toBe(networkSeen('2001:db8:1:3::1'));
    expect(networkSeen('203.0.113.9:1')).toBe(networkSeen('203.0.113.9:2'));
  });

  it('a connection that is gone has no address', () => {
    expect(networkOf({ ip: '', socket: {} })).toBe('unknown');
  });
});
