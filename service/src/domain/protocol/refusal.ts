import { type ErrorCode, errorEntry } from '@svc/contract/errors';

/** What a refusal adds to the error object: the offending field, what a decline means, … */
export type RefusalFacts = {
  /** Absent: the path of the first of the errors. */
  readonly param?: string;
  readonly message?: string;
  readonly errors?: readonly { path: string; code: string; message: string }[];
  readonly declineCode?: string | null;
  readonly advice?: string;
  /** Of a removal that did not come to its end. Contract §5. */
  readonly reason?: string;
  readonly retrySafe?: boolean;
  readonly resolution?: string;
  readonly retryAfter?: number;
  /** The payment as it is now, where it is not what the caller had read. */
  readonly payment?: object;
  /** Where it differs from what the code says in general. */
  readonly retryable?: boolean;
  /** Headers of the answer, such as `Allow` or `WWW-Authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** An expected no, answered by its code. The only exception that callers are shown. */
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
