import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublic, isWithin, parseAddress, parseNetwork } from './address.ts';

const isPublicText = (text: string) => isPublic(parseAddress(text) ?? 0n);

describe('parseAddress', () => {
  it('reads every form of an IPv6 address alike', () => {
    const forms = ['2001:db8::1', '2001:DB8:0:0:0:0:0:1', '2001:0db8:0000::0001'];
    expect(new Set(forms.map(parseAddress)).size).toBe(1);
    expect(parseAddress('fe80::1%eth0')).toBe(parseAddress('fe80::1'));
    expect(parseAddress('::')).toBe(0n);
    expect(parseAddress('::1')).toBe(1n);
  });

  it('holds an IPv4 address as the IPv6 address that maps it', () => {
    const forms = ['127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:0001'];
    expect(new Set(forms.map(parseAddress)).size).toBe(1);
  });

  it('refuses what is no address', () => {
    const wrong = [
      '',
      'localhost',
      '1.2.3',
      '1.2.3.256',
      '01.2.3.4',
      '1.2.3.4.5',
      ':::',
      '1::2::3',
      '12345::',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1:2:3:4:5:6:7::8',
      '::1.2.3.4:5',
      'g::',
      ':1',
      '1.2.3.4::',
    ];
    for (const text of wrong) expect(parseAddress(text), text).toBeNull();
  });

  it('agrees with the URL parser on any IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        expect(isIPv6(text)).toBe(true);
        const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1);
        return parseAddress(text) !== null && parseAddress(text) === parseAddress(canonical);
      }),
    );
  });
});

describe('parseNetwork', () => {
  it('takes CIDR form or one address', () => {
    const isInside = (network: string, address: string) =>
      isWithin(parseAddress(address) ?? 0n, [parseNetwork(network)]);
    expect(isInside('127.0.0.0/8', '127.255.0.1')).toBe(true);
    expect(isInside('127.0.0.0/8', '128.0.0.1')).toBe(false);
    expect(isInside('127.0.0.0/8', '::ffff:127.0.0.1')).toBe(true);
    expect(isInside('10.0.0.7', '10.0.0.7')).toBe(true);
    expect(isInside('10.0.0.7', '10.0.0.6')).toBe(false);
    expect(isInside('0.0.0.0/0', '8.8.8.8')).toBe(true);
    expect(isInside('0.0.0.0/0', '2606:4700::1')).toBe(false);
    expect(isInside('fd00::/8', 'fd12::1')).toBe(true);
  });

  it('names what it cannot read', () => {
    for (const text of [
      '',
      'localhost',
      '10.0.0.0/33',
      '::/129',
      '10.0.0.0/',
      '10/8',
      '1.2.3.4/8/8',
      '::/-1',
    ]) {
      expect(() => parseNetwork(text), text).toThrow('no network in CIDR form');
    }
  });
});

describe('isPublic', () => {
  it('refuses first and last address of every reserved network, and takes their neighbours', () => {
    const edges: [string, string, string | null, string | null][] = [
      ['0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
      ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
      ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
      ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
      ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
      ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
      ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
      ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
      ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
      ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
      ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
      ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
      ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
      ['224.0.0.0', '255.255.255.255', '223.255.255.255', null],
      ['2001::', '2001:1ff:ffff::', null, '2001:200::'],
      ['2001:db8::', '2001:db8:ffff::ffff', '2001:db7:ffff::', '2001:db9::'],
      ['2002::', '2002:ffff::', '2001:ffff::', '2003::'],
      ['4000::', 'ffff::', null, null],
      ['::', '1fff:ffff::', null, '2000::'],
    ];
    for (const [first, last, before, after] of edges) {
      expect(isPublicText(first), first).toBe(false);
      expect(isPublicText(last), last).toBe(false);
      if (before) expect(isPublicText(before), before).toBe(true);
      if (after) expect(isPublicText(after), after).toBe(true);
    }
  });

  it('refuses every range of the deny list by name', () => {
    const denied = [
      '::',
      '::1',
      '::ffff:10.0.0.1',
      '64:ff9b::8.8.8.8',
      '64:ff9b:1::1',
      '100::1',
      '2001::1',
      '2001:db8::1',
      '2002:7f00:1::',
      'fc00::1',
      'fdff::1',
      'fe80::1',
      'fec0::1',
      'ff02::1',
      '5f00::1',
      '3fff::1',
    ];
    for (const text of denied) expect(isPublicText(text), text).toBe(false);
    for (const text of ['8.8.8.8', '::ffff:8.8.8.8', '2606:4700:4700::1111']) {
      expect(isPublicText(text), text).toBe(true);
    }
  });
});
