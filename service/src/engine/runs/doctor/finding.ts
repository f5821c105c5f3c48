/** The result of one check. `mend` says what to do where something is wrong or could not be checked. */
export type Finding = {
  readonly what: string;
  readonly verdict: 'good' | 'note' | 'wrong';
  readonly said: string;
  readonly mend?: string | undefined;
};

export const goodFinding = (what: string, said: string): Finding => ({
  what,
  verdict: 'good',
  said,
});

export const wrongFinding = (what: string, said: string, mend: string): Finding => ({
  what,
  verdict: 'wrong',
  said,
  mend,
});

export const noteFinding = (what: string, said: string, mend?: string): Finding => ({
  what,
  verdict: 'note',
  said,
  mend,
});
