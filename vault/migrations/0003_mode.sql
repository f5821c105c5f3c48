-- The mode of an installation (sandbox, test or live), as the vault's first start stored it.
create table vault.installation (
  is_only boolean primary key default true check (is_only),
  mode text not null check (mode in ('sandbox', 'test', 'live'))
);
