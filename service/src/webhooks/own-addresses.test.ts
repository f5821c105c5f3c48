import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parseAddress } from './address.ts';
import { ownAddresses } from './own-addresses.ts';
import { findTarget, readRules, type TargetSettings } from './target.ts';

const isOwn = ownAddresses(4000, [
  'http://127.0.0.1:4100',
  'http://[::1]:4101/internal',
  'http://vault.localhost:4102',
  'postgres://svc@127.0.0.1/svc',
  'http://10.0.0.5:4200',
]);
const loopback = ['127.0.0.0/8', '::1/128'];

async function verdict(url: string, settings: Partial<TargetSettings> = {}): Promise<string> {
  const rules = readRules({
    allow: loopback,
    isOwn,
    resolve: async () => ['127.0.0.1'],
    ...settings,
  });
  return findTarget(url, rules).then(
    () => 'taken',
    (error: Error) => error.message,
  );
}

describe('our own addresses', () => {
  it.each([
    'http://127.0.0.1:4000/v1/payments',
    'http://127.0.0.2:4000/',
    'http://localhost:4000/',
    'http://shop.localhost:4000/',
    'http://2130706433:4000/',
    'http://[::ffff:127.0.0.1]:4000/',
    'http://[::1]:4000/',
    'http://hook.example:4000/',
    'http://127.0.0.1:4100/',
    'http://[::1]:4101/',
    'http://127.0.0.1:4102/',
    'http://127.0.0.1:5432/',
  ])('a port of ours is refused though its network is allowed: %s', async (url) => {
    expect(await verdict(url)).toBe('address_refused');
  });

  it('other ports of an allowed network are taken, as the demo shop needs', async () => {
    expect(await verdict('http://127.0.0.1:4003/webhooks')).toBe('taken');
  });

  it('what we work with elsewhere is refused by its port', async () => {
    const allow = ['10.0.0.0/8'];
    expect(await verdict('http://10.0.0.5:4200/', { allow })).toBe('address_refused');
    expect(await verdict('http://10.0.0.5:8080/', { allow })).toBe('taken');
  });

  it('every address of this machine is refused unless its network is allowed', () => {
    const own = Object.values(networkInterfaces()).flatMap((all = []) => all);
    expect(own.length).toBeGreaterThan(0);
    for (const { address } of own) {
      const parsed = parseAddress(address) ?? 0n;
      expect(isOwn(parsed, 8443, false), address).toBe(true);
      expect(isOwn(parsed, 8443, true), address).toBe(false);
    }
    expect(isOwn(parseAddress('8.8.8.8') ?? 0n, 4000, false)).toBe(false);
  });

  it('0.0.0.0 and :: are this machine', async () => {
    const allow = ['0.0.0.0/0', '::/0'];
    expect(await verdict('http://0.0.0.0:4000/', { allow })).toBe('address_refused');
    expect(await verdict('http://[::]:4000/', { allow })).toBe('address_refused');
  });

  it('a receiver of our own is reached, over plain http too, and nothing beside it', async () => {
    const receiver = 'http://127.0.0.1:4000/webhook-tester/x';
    const ownReceiver = (url: string) => url === receiver;
    expect(await verdict(receiver, { ownReceiver, allow: [] })).toBe('taken');
    expect(await verdict(`${receiver}/../../v1`, { ownReceiver })).toBe('address_refused');
  });
});
