/** The version of the API that this service implements. Contract §11. */
export const apiVersion = '2026-11-21';
