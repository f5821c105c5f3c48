import { describe, expect, it } from 'vitest';
import { installationOf, judgeMaker, markMetadata } from './marks.ts';

const id = (n: number) => `0000000${n}-0000-7000-8000-000000000000`;
const installations = { all: [id(2), id(4), id(6)], ours: [id(4), id(6)], undecided: [id(2)] };

describe('the marks of an object', () => {
  it('are of the installation in which its row began, also when a copy repeats the call', () => {
    expect([1, 2, 3, 5, 6, 9].map((n) => installationOf(installations, id(n)))).toEqual(
      [2, 2, 2, 4, 6, 6].map(id),
    );
  });

  it('are of the current installation where no row begins, and none where an account is only checked', () => {
    const making = { clientId: 'merchant', installations };
    expect(markMetadata(making)).toEqual({ installation_id: id(6), merchant_id: 'merchant' });
    expect(markMetadata(undefined, id(3))).toEqual({});
  });

  it('tell whose the object is; one without an installation is ours', () => {
    const judge = (installationId: string | null) => judgeMaker({ installationId }, installations);
    expect([null, id(6), id(4), id(2), id(7), ''].map(judge)).toEqual([
      'ours',
      'ours',
      'ours',
      'undecided',
      'elsewhere',
      'elsewhere',
    ]);
  });
});
