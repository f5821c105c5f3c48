-- No call lists a merchant's sessions, and who reads one knows its id: an entry that each new session
-- paid for and nothing ever read.
drop index checkout_sessions_list;
