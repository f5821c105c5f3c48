// The most rows of a file. Without the schemas, so that pages use it too.

/**
 * The most rows of a file that is sent while it is read: for roles with the permission `exports.large`, and
 * for the others. A kept file has any number of rows for the former.
 */
export const mostRows = 50_000;
export const mostRowsOfSmallExport = 1000;
