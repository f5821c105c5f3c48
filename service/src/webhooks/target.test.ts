import { describe, expect, it } from 'vitest';
import { insideUrls, malformedUrls } from '../../test/attacks/forbidden-urls.ts';
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

// One bad address among good ones is enough.
const namesInside = [
  'https://alias.example/',
  'https://inside.example/',
  'https://mixed.example/',
  'https://mixed6.example/',
  'https://mapped.example/',
  'https://zone.example/',
  'https://garbled.example/',
  'https://inside.example./',
];

describe('findTarget', () => {
  it('the corpus holds 120 cases and more, none twice', () => {
    const all = [...insideUrls, ...malformedUrls];
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(120);
  });

  it.each([...insideUrls, ...namesInside])('goes to no address inside: %s', async (url) => {
    expect(await verdict(url)).toBe('address_refused');
  });

  it.each(malformedUrls)('takes no URL of another form: %j', async (url) => {
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
