-- The bytes of an event, as storage/packed-text.ts packs them: byte 0, then the text itself.
-- Decision 0037.
alter table events alter column payload type bytea using '\x00'::bytea || convert_to(payload, 'UTF8');
