// Where addresses lead, and where signing in may lead.

import { beforeAll, describe, expect, it, vi } from 'vitest';
import type * as Router from './router.ts';

let router: typeof Router;

beforeAll(async () => {
  vi.stubGlobal('location', new URL('https://pay.example/account'));
  router = await import('./router.ts');
});

describe('findRoute', () => {
  const routeAt = (path: string): Router.Route => ({
    path,
    asks: 'nothing',
    view: () => null as never,
  });
  const routes = [routeAt('/account'), routeAt('/account/mails/:id'), routeAt('/account/:page')];

  it.each([
    ['/account', '/account', {}],
    ['/account/', '/account', {}],
    ['/account/mails/m1', '/account/mails/:id', { id: 'm1' }],
    ['/account/device', '/account/:page', { page: 'device' }],
  ])('%s is %s', (path, route, params) => {
    const found = router.findRoute(routes, path);
    expect([found?.route.path, found?.params]).toEqual([route, params]);
  });

  it.each(['/', '/accounts', '/account/mails/m1/more', '/account/a/b'])('%s is none', (path) => {
    expect(router.findRoute(routes, path)).toBeUndefined();
  });
});

describe('nextOf', () => {
  const nextFor = (path: string) => router.nextAddressOf(`?next=${encodeURIComponent(path)}`);

  it.each([
    '/account/mails?kind=refund',
    '/account/device?user_code=ABCD-EFGH',
    '/oauth/authorize/uid-1',
    '/dashboard/m1/payments?status=failed',
  ])('goes on to %s', (path) => {
    expect(nextFor(path)).toBe(path);
  });

  it.each([
    ['an address of another origin', 'https://evil.example/account'],
    ['one that only looks like a path', '//evil.example/account'],
    ['a foreign one with a path as here', '//evil.example/oauth/authorize/uid-1'],
    ['one with a backslash', '/\\evil.example/account'],
    ['one with a tab', '/\t/evil.example/account'],
    ['a script', 'javascript:alert(1)'],
    ['a page of somebody else here', '/c/123'],
    ['a call', '/v1/account/sign-out'],
    ['what climbs out', '/account/../v1/account'],
    ['a name that begins alike', '/accounting'],
    ['signing in again', '/account/sign-in?next=/account/sign-in'],
    ['nothing', ''],
  ])('goes home instead of to %s', (_what, path) => {
    expect(nextFor(path)).toBe('/account');
  });

  it('goes home where nothing is said', () => {
    expect(router.nextAddressOf('')).toBe('/account');
  });
});

describe('signInAddress', () => {
  it('comes back to where the visitor was', () => {
    const address = router.signInAddress('/account/mails?kind=refund');
    expect(router.nextAddressOf(new URL(address, 'https://pay.example').search)).toBe(
      '/account/mails?kind=refund',
    );
  });

  it('says nothing of home', () => {
    expect(router.signInAddress('/account')).toBe('/account/sign-in');
  });
});
