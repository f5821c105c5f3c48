/** The metadata key that marks the payment of a start, with the value `true`. */
const key = 'isStartProof';

/**
 * Whether this is the payment that `npm start` makes as proof: its events go only to the demo
 * shop's endpoint. Never in live mode, whatever the metadata.
 */
export const isStartProof = (of: {
  readonly isLive: boolean;
  readonly metadata: Readonly<Record<string, string>>;
}): boolean => !of.isLive && of.metadata[key] === 'true';
