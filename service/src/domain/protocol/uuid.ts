/** A UUID in either letter case, as people write it and PostgreSQL reads it. RFC 9562 §4. */
export const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A UUID as this service writes it: two that differ as texts are two ids. */
export const writtenUuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
