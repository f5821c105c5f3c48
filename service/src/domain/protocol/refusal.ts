import { type ErrorCode, errorEntry } from '@svc/contract/errors/errors';

/** One of several reasons: a field that is wrong, or a thing that hinders the call. */
type RefusalError = {
  /** Empty where it is no field of the request. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
  /** Of the thing that hinders the call. */
  readonly id?: string;
  readonly state?: string;
};

/** The parts that a refusal adds to the error object: the field that is wrong, what a decline means, … */
export type RefusalFacts = {
  /** Absent: the path of the first of the errors. */
  readonly param?: string;
  readonly message?: string;
  readonly errors?: readonly RefusalError[];
  readonly declineCode?: string | null;
  readonly advice?: string;
  /** Set for a detachment that was not completed. Contract §5. */
  readonly reason?: string;
  readonly retrySafe?: boolean;
  readonly resolution?: string;
  readonly retryAfter?: number;
  /** The payment as it is now, where it differs from what the caller had read. */
  readonly payment?: object;
  /** How much of the copy that searches read is made, for `search_being_prepared`. */
  readonly preparedPercent?: number;
  /** Set where it differs from the code's own value. */
  readonly retryable?: boolean;
  /** Headers of the answer, such as `Allow` or `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** An expected refusal, answered with its code. It is the only exception that callers see. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly facts: RefusalFacts;

  constructor(code: ErrorCode, facts: RefusalFacts = {}) {
    super(facts.message ?? errorEntry(code).message);
    this.name = 'Refusal';
    this.code = code;
    const param = facts.param ?? (facts.errors?.[0]?.path || undefined);
    this.facts = param === undefined ? facts : { ...facts, param };
  }
}
