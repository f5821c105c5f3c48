-- How buyers see a merchant: on the hosted pages, where the name alone stood. A version before this one
-- neither reads nor writes these columns.
alter table clients
  add column business_name text check (char_length(business_name) between 1 and 100),
  add column logo_url text check (logo_url ~ '^https://' and char_length(logo_url) <= 1000),
  add column support_email text check (char_length(support_email) <= 320),
  add column terms_url text check (terms_url ~ '^https://' and char_length(terms_url) <= 1000),
  add column brand_color text check (brand_color ~ '^#[0-9a-f]{6}$');
