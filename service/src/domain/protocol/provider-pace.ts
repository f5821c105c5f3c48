// The most requests a second that the card provider takes of an account, as it publishes them:
// https://docs.stripe.com/rate-limits. The sandbox counts like a test account.

export const publishedPace = (
  isLive: boolean,
): { readonly perSecond: number; readonly endpointPerSecond: number } => ({
  perSecond: isLive ? 100 : 25,
  endpointPerSecond: 25,
});
