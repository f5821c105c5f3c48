// Checks email addresses as the provider does: one @ between a name and a domain with a dot.
import { invalidParameter } from './errors.ts';

const pattern = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

/** Throws 400 `email_invalid`. Accepts an absent address, and an empty one, which removes the stored address. */
export const assertEmail = (email: string | null | undefined, param = 'email'): void => {
  if (!email || (email.length <= 512 && pattern.test(email))) return;
  throw invalidParameter('email_invalid', param, `Invalid email address: ${email}`);
};
