-- The payment that `npm start` makes as proof, in a sandbox only: its events go to the demo shop's endpoint
-- alone, so that no other endpoint ships an order for it. A version before this one leaves it false.
alter table events add column is_start_proof boolean not null default false;
