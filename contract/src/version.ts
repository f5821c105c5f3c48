/** The version of service and libraries. It stands in the package.json of the root: tools/src/checks/version.ts. */
export const version = '0.1.0';
