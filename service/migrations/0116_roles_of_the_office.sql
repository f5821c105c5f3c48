-- Roles of an office: who refunds and answers buyers, who keeps the books, who only looks. Every row
-- that there is suits the wider check.
alter table memberships drop constraint memberships_role_check;
alter table memberships add constraint memberships_role_check
  check (role in ('owner', 'admin', 'member', 'finance', 'support', 'viewer')) not valid;
alter table memberships validate constraint memberships_role_check;

alter table invitations drop constraint invitations_role_check;
alter table invitations add constraint invitations_role_check
  check (role in ('owner', 'admin', 'member', 'finance', 'support', 'viewer')) not valid;
alter table invitations validate constraint invitations_role_check;
