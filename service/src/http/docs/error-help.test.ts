import { errors } from '@svc/contract/errors/errors';
import { expect, it } from 'vitest';
import { errorHelp, errorHelpLines } from './error-help.ts';
import { guideNames } from './guides.ts';

it('every code has one line with cause, remedy and a guide that is there, and no other code has', () => {
  expect([...errorHelp.keys()].sort()).toEqual(Object.keys(errors).sort());
  expect(errorHelpLines).toBe(errorHelp.size);
  for (const [code, { cause, remedy, guide }] of errorHelp) {
    for (const text of [cause, remedy])
      expect([code, text]).toEqual([code, expect.stringMatching(/^[A-Z].{10,}\.$/s)]);
    expect(cause).not.toBe(remedy);
    expect([code, guideNames]).toEqual([code, expect.arrayContaining([guide])]);
  }
});
