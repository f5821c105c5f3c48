// The field for choosing a password.

import { Field } from '../kit/parts/form.tsx';

/** The field of a new password. */
export const NewPassword = ({ hasFocus = false }: { hasFocus?: boolean }) => (
  <Field
    label="New password"
    name="password"
    type="password"
    autoComplete="new-password"
    hint="12 characters or more, for example four random words."
    minLength={12}
    maxLength={200}
    hasFocus={hasFocus}
  />
);
