import { describe, expect, it } from 'vitest';
import { judgeSubjects } from './commit-subjects.ts';

describe('judgeSubjects', () => {
  it('takes a type, a scope where there is one, and what changed', () => {
    const good = [
      'fix(pages): show the amount',
      'docs: name the limit',
      'feat(api)!: drop a field',
    ];
    expect(judgeSubjects(good.map((subject) => `abc1234 ${subject}`))).toEqual([]);
  });

  it.each([
    'wip',
    'Show the amount',
    'fix(pages) show the amount',
    'fixed(pages): show the amount',
    'fix(Pages): show the amount',
    'fix(pages):show the amount',
    'fix: ',
  ])('%j is refused', (subject) => {
    expect(judgeSubjects([`abc1234 ${subject}`])).toEqual([
      `abc1234 ${subject}: is not "type(scope): what changed"`,
    ]);
  });

  it('72 characters are taken, 73 are not', () => {
    const subject = `fix: ${'x'.repeat(67)}`;
    expect(judgeSubjects([`abc1234 ${subject}`])).toEqual([]);
    expect(judgeSubjects([`abc1234 ${subject}x`])).toEqual([
      `abc1234 ${subject}x: has 73 characters, at most 72`,
    ]);
  });
});
