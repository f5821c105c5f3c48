// Response shapes that several calls of a person's own account share. Contract §6.

import { type Static, Type } from 'typebox';
import { component, instant, nullable, oneOf, uuid } from '../rows/schema.ts';

export const SignInStep = component('SignInStep', {
  state: oneOf(
    ['open', 'second_factor'],
    'second_factor: finish with a code of the authenticator or a recovery code.',
  ),
});
export type SignInStep = Static<typeof SignInStep>;

export const Account = component('Account', {
  id: uuid(),
  email: Type.String(),
  name: nullable(Type.String()),
  emailProvenAt: nullable(instant('When a link mailed to the address was followed.')),
  hasPassword: Type.Boolean(),
  passwordChangedAt: nullable(instant()),
  hasAuthenticator: Type.Boolean({
    description: 'Whether signing in requires a code after the password.',
  }),
  recoveryCodesLeft: Type.Integer(),
  passkeyCount: Type.Integer(),
  signIn: component('ThisSignIn', {
    id: uuid(),
    provenAt: instant('When the person last proved the identity.'),
    confirmedUntil: instant('Until then calls about money and credentials require no new proof.'),
  }),
  createdAt: instant(),
});
export type Account = Static<typeof Account>;
