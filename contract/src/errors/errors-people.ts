// Failures of people's accounts, members and applications; part of the table in errors.ts. Contract §6.

export const peopleErrors = {
  sign_in_required: { status: 401, message: 'Sign in first.' },
  sign_in_failed: {
    status: 401,
    message:
      'The address, password, code or passkey is wrong, or this account cannot sign in this way.',
  },
  second_factor_required: { status: 401, message: 'Finish signing in with your second factor.' },
  recent_sign_in_required: {
    status: 403,
    message: 'Confirm that it is you, then repeat the call.',
  },
  cross_site_request: {
    status: 403,
    message:
      'Only pages opened at the service’s own address may make this call. localhost and 127.0.0.1 are two different addresses.',
  },
  password_too_weak: {
    status: 422,
    message: 'Choose a password of 12 to 200 characters that is not a common one.',
  },
  account_exists: { status: 409, message: 'This account already has a password. Sign in.' },
  link_not_found: {
    status: 404,
    message: 'This link is invalid, expired or already used. Ask for a new one.',
  },
  totp_code_invalid: { status: 422, message: 'The code is wrong or was used before.' },
  totp_already_on: { status: 409, message: 'An authenticator is already set up.' },
  totp_not_on: { status: 409, message: 'No authenticator is set up.' },
  passkey_not_found: { status: 404, message: 'No such passkey.' },
  passkey_invalid: { status: 422, message: 'The passkey could not be verified. Try again.' },
  last_proof_kept: { status: 409, message: 'This is the only way to sign in. Add another first.' },
  sign_in_not_found: { status: 404, message: 'No such sign-in.' },
  member_not_found: { status: 404, message: 'No such member.' },
  last_owner: {
    status: 409,
    message: 'A merchant keeps at least one owner. Make somebody else an owner first.',
  },
  member_has_tokens: {
    status: 409,
    message:
      'The API tokens of this member will stop working at once. To agree, repeat the call with the ids of these tokens.',
  },
  already_a_member: { status: 409, message: 'This person is already a member.' },
  invitation_not_found: { status: 404, message: 'No such invitation.' },
  application_not_found: { status: 404, message: 'No such OAuth application.' },
  authorization_not_found: {
    status: 404,
    message: 'This authorization request has expired. Start again in the application.',
  },
  consent_not_found: { status: 404, message: 'This application has no access.' },
} as const;
