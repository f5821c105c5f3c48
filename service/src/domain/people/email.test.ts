import { describe, expect, it } from 'vitest';
import { emailKey, isSameEmail, spellingsOf } from './email.ts';

describe('spellingsOf', () => {
  it.each([
    [
      'Ada@Bücher.example',
      ['Ada@Bücher.example', 'Ada@xn--bcher-kva.example', 'Ada@bücher.example'],
    ],
    [
      'ada@XN--bcher-kva.example',
      ['ada@XN--bcher-kva.example', 'ada@xn--bcher-kva.example', 'ada@bücher.example'],
    ],
    ['ada@example.test', ['ada@example.test']],
    ['jürgen@example.test', ['jürgen@example.test']],
    ['no address', ['no address']],
    ['a@xn--', ['a@xn--']],
  ])('%s', (email, spellings) => {
    expect(spellingsOf(email)).toEqual(spellings);
  });
});

describe('isSameEmail', () => {
  it.each([
    ['Ada@Example.test', 'ada@example.TEST'],
    ['jürgen@bücher.example', 'JÜRGEN@xn--bcher-kva.example'],
    ['u\u0308@example.test', '\u00fc@example.test'],
  ])('%s and %s are one address', (one, other) => {
    expect(isSameEmail(one, other)).toBe(true);
  });

  it.each([
    ['ada@example.test', 'ada@example.org'],
    ['jurgen@example.test', 'jürgen@example.test'],
    [null, 'ada@example.test'],
  ])('%s and %s are two', (one, other) => {
    expect(isSameEmail(one, other)).toBe(false);
  });

  it('a domain that has no ASCII form is compared as it is', () => {
    expect(emailKey('a@B..c')).toBe('a@b..c');
  });
});
