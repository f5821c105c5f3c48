import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskEmail } from './customer-page.ts';

describe('maskEmail', () => {
  it.each([
    ['ada@example.com', 'a•••@example.com'],
    ['a@example.com', 'a•••@example.com'],
    ['"odd@name"@example.com', '"•••@example.com'],
    ['😀b@example.com', '😀•••@example.com'],
    ['@example.com', '•••'],
    ['nonsense', '•••'],
    ['', '•••'],
  ])('%s is shown as %s', (email, shown) => {
    expect(maskEmail(email)).toBe(shown);
  });

  it('says nothing of the name but its first character, its length included', () => {
    const name = fc.stringMatching(/^[a-z]{1,40}$/);
    fc.assert(
      fc.property(name, name, (one, other) => {
        const [first = ''] = one;
        const same = maskEmail(`${first}${other}@example.com`);
        expect(maskEmail(`${one}@example.com`)).toBe(same);
      }),
    );
  });
});
