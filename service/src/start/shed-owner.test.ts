import { expect, it } from 'vitest';
import { withoutOwner } from './shed-owner.ts';

it.each([
  [
    'postgres://svc_owner:a%40b@db:5432/svc?sslmode=verify-full',
    'postgres://db:5432/svc?sslmode=verify-full',
  ],
  ['postgres://svc_owner:p@/svc?host=/run/pg&port=5433', 'postgres:///svc?host=/run/pg&port=5433'],
  ['postgres:///svc?user=svc_owner&host=/run&password=p', 'postgres:///svc?host=/run'],
  ['postgresql://db/svc?password=p', 'postgresql://db/svc'],
  ['postgres://db/svc', 'postgres://db/svc'],
])(
  '%s names no owner and no password any more, and nothing is left to take away',
  (given, left) => {
    expect(withoutOwner(given)).toBe(left);
    expect(withoutOwner(left)).toBe(left);
  },
);
