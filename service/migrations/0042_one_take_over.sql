-- A session may take coupons over from pages that have not paid once: a card that is then declined has
-- closed no more of them than that. The id names the take-over, so that it may be repeated.

alter table session_calls add column take_over_id uuid;
