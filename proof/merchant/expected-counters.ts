// What must happen among a number of merchants, or they prove too little.

export const wantedOfMerchants: readonly string[] = [
  'a handler threw',
  'did: cancel',
  'did: capture',
  'did: decline',
  'did: hold',
  'did: purchase',
  'did: refund',
  'did: detachment of a card',
  'did: renewal',
  'did: subscription',
  'died after its commit',
  'died before its commit',
  'network: doubled',
  'network: inVain',
  'network: late',
  'network: lost',
  'network: swallowed',
  'walk: applied',
];
