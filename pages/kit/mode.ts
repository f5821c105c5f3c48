// The mode of the service: with real money, or without.

/** The service marks the document of a page that it serves in test mode. */
export const isTestMode = (): boolean => document.documentElement.dataset.mode === 'test';

/** Returns the name of the mode without real money. */
export const modeName = (): string => (isTestMode() ? 'Test mode' : 'Sandbox');
