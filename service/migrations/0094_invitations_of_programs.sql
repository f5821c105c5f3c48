-- What an invitation was made with, where that was no person's browser: an API token or a consent. Once
-- that is revoked, the invitation is dead with it: whoever found the credential is not let in by it later.
-- A version before this one leaves it out, and its invitations stand by their inviter alone.
alter table invitations add column made_with uuid;
