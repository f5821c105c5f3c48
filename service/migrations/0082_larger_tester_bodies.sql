-- Above the largest event: a cart of a hundred lines with the longest names and codes is about 150 kB.
alter table webhook_tester_requests
  drop constraint webhook_tester_requests_body_check,
  add constraint webhook_tester_requests_body_check check (octet_length(body) <= 262144);
