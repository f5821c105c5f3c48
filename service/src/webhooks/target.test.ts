import { describe, expect, it } from 'vitest';
import { parseNetwork } from './address.ts';
import { findTarget, resolveName, type TargetRules } from './target.ts';

const names: Record<string, string[]> = {
  'shop.example': ['93.184.215.14', '2606:2800:21f:cb07::1'],
  'inside.example': ['10.1.2.3'],
  'mixed.example': ['93.184.215.14', '192.168.0.1'],
  'mixed6.example': ['93.184.215.14', 'fd00::1'],
  'mapped.example': ['::ffff:169.254.169.254'],
  'zone.example': ['fe80::1%eth0'],
  'alias.example': ['127.0.0.1'],
  'nowhere.example': [],
  'garbled.example': ['not an address'],
  'xn--bcher-kva.example': ['93.184.215.14'],
};

const rules: TargetRules = {
  allow: [],
  deny: [],
  isOwn: () => false,
  ownReceiver: () => false,
  resolve: async (hostname) => {
    const found = names[hostname.replace(/\.$/, '')];
    if (!found) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    return found;
  },
};

async function verdict(url: string, given: Partial<TargetRules> = {}): Promise<string> {
  try {
    return (await findTarget(url, { ...rules, ...given })).addresses
      .map(({ address }) => address)
      .join(' ');
  } catch (error) {
    return (error as Error).message;
  }
}

const refusedAddresses = [
  // Loopback, in every spelling that a URL parser knows.
  'https://127.0.0.1/',
  'https://127.1/',
  'https://127.0.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://１２７.０.０.１/',
  'https://127。0。0。1/',
  'https://127.0.0.1./',
  'https://%31%32%37.0.0.1/',
  'https://[::1]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[0:0:0:0:0:ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://localhost/',
  'https://LOCALHOST/',
  'https://localhost./',
  'https://a.b.localhost/',
  'https://ⓛocalhost/',
  'https://alias.example/',
  'https://127.255.255.254/',
  // This network, private, shared, link-local, metadata.
  'https://0/',
  'https://0.0.0.0/',
  'https://[::]/',
  'https://10.0.0.1/',
  'https://10.1/',
  'https://172.16.0.1/',
  'https://172.31.255.255/',
  'https://192.168.1.1/',
  'https://192.168.257/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://0xa9fea9fe/',
  'https://2852039166/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[fe80::1]/',
  'https://[fec0::1]/',
  'https://[fc00::1]/',
  'https://[fd00:ec2::254]/',
  'https://inside.example/',
  // Documentation, benchmarks, multicast, reserved, translated.
  'https://192.0.0.8/',
  'https://192.0.2.1/',
  'https://192.88.99.1/',
  'https://198.18.0.1/',
  'https://198.51.100.7/',
  'https://203.0.113.9/',
  'https://224.0.0.1/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  'https://[64:ff9b::7f00:1]/',
  'https://[64:ff9b:1::1]/',
  'https://[100::1]/',
  'https://[2001::1]/',
  'https://[2001:db8::1]/',
  'https://[2002:7f00:1::]/',
  'https://[ff02::1]/',
  'https://[5f00::1]/',
  'https://[3fff::1]/',
  // One bad address among good ones is enough.
  'https://mixed.example/',
  'https://mixed6.example/',
  'https://mapped.example/',
  'https://zone.example/',
  'https://garbled.example/',
  'https://inside.example./',
];

const refusedUrls = [
  '',
  ' ',
  'shop.example',
  '//shop.example/',
  'http://shop.example/',
  'http://93.184.215.14/',
  'ftp://shop.example/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/plain,x',
  'gopher://shop.example/',
  'ws://shop.example/',
  'wss://shop.example/',
  'blob:https://shop.example/x',
  'https://',
  'https:///',
  'https://user@shop.example/',
  'https://user:word@shop.example/',
  'https://:word@shop.example/',
  'https://shop.example@127.0.0.1/',
  'https://shop.example/#part',
  'https://shop.example/#',
  'https://shop.example:22/',
  'https://shop.example:25/',
  'https://shop.example:80/',
  'https://shop.example:1023/',
  'https://shop.example:0/',
  'https://shop.example:65536/',
  'https://shop.example:-1/',
  'https://[::1/',
  'https://[fe80::1%25eth0]/',
  'https://256.256.256.256/',
  'https://1.2.3.4.5/',
  'https://shop .example/',
  'https://shop%00.example/',
  `https://shop.example/${'a'.repeat(2048)}`,
];

describe('findTarget', () => {
  it.each(refusedAddresses)('goes to no address inside: %s', async (url) => {
    expect(await verdict(url)).toBe('address_refused');
  });

  it.each(refusedUrls)('takes no URL of another form: %j', async (url) => {
    expect(await verdict(url)).toBe('url_refused');
  });

  it('takes public targets on port 443 and from 1024 on', async () => {
    const both = '93.184.215.14 2606:2800:21f:cb07::1';
    expect(await verdict('https://shop.example/hook?a=b')).toBe(both);
    expect(await verdict('https://shop.example:443/')).toBe(both);
    expect(await verdict('https://shop.example:1024/')).toBe(both);
    expect(await verdict('https://shop.example:65535/')).toBe(both);
    expect(await verdict('https://bücher.example/')).toBe('93.184.215.14');
    expect(await verdict('https://8.8.8.8/')).toBe('8.8.8.8');
    expect(await verdict('https://[2606:4700:4700::1111]/')).toBe('2606:4700:4700::1111');
    expect(await verdict(`https://shop.example/${'a'.repeat(2026)}`)).toBe(both);
  });

  it('a name without addresses, or that nobody knows: dns_error', async () => {
    expect(await verdict('https://nowhere.example/')).toBe('dns_error');
    expect(await verdict('https://unknown.example/')).toBe('dns_error');
  });

  it('an allowed network opens itself and nothing beside, for plain http too', async () => {
    const allow = [parseNetwork('127.0.0.0/8'), parseNetwork('::1/128')];
    expect(await verdict('http://127.0.0.1:8080/', { allow })).toBe('127.0.0.1');
    expect(await verdict('http://localhost:8080/', { allow })).toBe('127.0.0.1 ::1');
    expect(await verdict('http://shop.localhost/', { allow })).toBe('127.0.0.1 ::1');
    expect(await verdict('http://[::ffff:7f00:1]:8080/', { allow })).toBe('::ffff:7f00:1');
    expect(await verdict('https://10.0.0.1/', { allow })).toBe('address_refused');
    expect(await verdict('http://93.184.215.14/', { allow })).toBe('url_refused');
    expect(await verdict('http://shop.example/', { allow })).toBe('url_refused');
  });

  it('a denied network stays closed, allowed or public', async () => {
    const deny = [parseNetwork('127.0.0.2'), parseNetwork('93.184.215.14')];
    const allow = [parseNetwork('127.0.0.0/8')];
    expect(await verdict('http://127.0.0.2:8080/', { allow, deny })).toBe('address_refused');
    expect(await verdict('http://127.0.0.3:8080/', { allow, deny })).toBe('127.0.0.3');
    expect(await verdict('https://shop.example/', { allow, deny })).toBe('address_refused');
  });
});

describe('resolveName', () => {
  it('rejects a name that cannot be', async () => {
    await expect(resolveName('no-such-name.invalid')).rejects.toThrow();
  });
});
