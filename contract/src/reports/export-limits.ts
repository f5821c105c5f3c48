// The most rows of a file. Without the schemas, so that pages use it too.

/** The most rows that a role without the permission `exports.large` takes at once. */
export const mostRowsOfSmallExport = 1000;
/** The most rows of a file of payments that is sent while it is read. */
export const mostRows = 50_000;
