// Rules that stand in sentences, not in tables: each by a name for its test and by words of the
// document, which must still be there.

export type Rule = { readonly row: string; readonly words: string };

const ruleSet = (section: string, named: Readonly<Record<string, string>>): Rule[] =>
  Object.entries(named).map(([name, words]) => ({ row: `${section} ${name}`, words }));

export const rules: readonly Rule[] = [
  ...ruleSet('Spec 4.1', {
    'unclaimed process': 'process, intent and decline calls on an unclaimed session return 409',
    'unclaimed intent': 'process, intent and decline calls on an unclaimed session return 409',
    'unclaimed decline': 'process, intent and decline calls on an unclaimed session return 409',
    'unclaimed vault charge': 'an unclaimed vault charge is held with a retryable 503',
    'unclaimed money': 'Nothing may be charged until the claim settles',
  }),
  ...ruleSet('Spec 2.5', { hash: 'Only the SHA-256 hash of the token value is stored' }),
  ...ruleSet('Spec 5', {
    Basic: 'password is an active user-owned API token',
    'token management': 'Basic credentials cannot manage tokens',
    'own user': 'each operation is scoped to the acting user',
    'last use': '`lastUsedAt` updates only on successful Basic authentication',
  }),
  ...ruleSet('Contract §1', { object: 'One flat object for every failure' }),
  ...ruleSet('Contract §3', {
    create: 'Create, 201:',
    line: "A line's `totalAmount` is unit price × quantity before discounts",
    nonce: '`nonce` and `url` appear only here',
    url: '`url` is `{checkoutBaseUrl}/c/{id}#<nonce>`',
    life: 'Life: 24 h (30 min to 24 h allowed); a shell 1 h until claimed',
    expiry: 'Expiry emits `checkout.session.expired`',
    price: "A line's `totalAmount` that differs from the catalog's is 422 `invalid_catalog_data`",
    override: "the request carries the merchant's Basic credential: then it becomes",
    account: 'The wire takes `accountData`, or `account`',
    buyer: '`accountData` and `x-user-id` prove nothing',
    origins: 'feeds CORS (on `/v1/checkouts/*`',
    claim: 'additive, `captureMethod?, successUrl?, cancelUrl?`, all fingerprinted',
    shell: 'The shell takes `clientId, currency, account.country, deferDataAttachment` only',
    fingerprint: 'Fingerprint: SHA-256 of the canonical JSON',
    concurrent: 'Concurrent identical claims: one writes, the rest read the same result',
    'refused claim': 'A refused catalog leaves the shell unclaimed',
    token: 'The `token` of the hosted form is single use, bound to the session, 15 minutes',
    'either token or paymentMethodId': 'exactly one of `token` and `paymentMethodId`',
    chv: '`chv` (cardholder verification): opaque, up to 4096 characters',
    attempt: 'One attempt at a time: 409 `checkout_attempt_in_progress`',
    replay: 'A settled session replays its success',
    intents: 'one open intent per session',
    'intent email': "`email` is the claimed buyer's, else 422 `email_mismatch`",
    decline: 'repeatable; after success 409 `checkout_session_completed`',
    wait: '`GET …/status?wait=<seconds, up to 25>` answers early when the status changes',
  }),
  ...ruleSet('Spec 2.4', {
    'gateway data': 'The DTO also carries non-secret gateway data when loaded',
    'no secrets': 'It never contains a PAN, CVC, vault token, provider payment-method id',
    'several cards': 'A customer may hold several active cards',
  }),
  ...ruleSet('Spec 4.1', {
    'setup never processed': 'Never call the process endpoint for a setup session',
  }),
  ...ruleSet('Spec 4.3', {
    keys: 'The setup request key is `userId`; the list query key is `userUuid`',
    candidates: 'candidate replacements must be active and share user, gateway, provider, type',
    choice: 'The most recently successfully charged or setup-verified candidate is chosen',
    order: 'funding is reassigned, verified, and only then is the target removed',
    failure: 'Any failure preserves the old method',
  }),
  ...ruleSet('Spec 6', {
    'setup emits nothing': 'Card setup sessions emit no purchase or fulfilment events',
  }),
  ...ruleSet('Spec 7.2', {
    repeat: 'repeating the same DELETE is idempotent',
  }),
  ...ruleSet('Contract §3', {
    'setup life': 'setup 1 h',
    'saved cards': 'Listing, paying with or saving a card needs a buyer attached under',
    'setup intents': 'Setup intents: `{ sessionId, email, paymentMethodType }`',
    'setup status': 'Status also carries `paymentMethodId` on setup sessions',
  }),
  ...ruleSet('Contract §5', {
    dto: "exactly the specification's nine fields and `gateway",
    resume: 'A crash resumes at the step',
    retrySafe: "`retrySafe` false only when the provider's state cannot be read",
    tombstone: 'A tombstone keeps id, owner and times only',
    pending: 'A pending card disappears an hour after its session ends',
    subscription: 'Subscription, as much as deletion and renewal need',
    bought: 'bought through a checkout whose product is recurring',
    renewed: 'renewed off session with the saved card',
    customer: 'Customer: `{ id (= userId), clientId, email, name',
    linking: 'linking is implied by creation',
  }),
  ...ruleSet('Contract §6', {
    format: 'Token value: `svc_` + 43 base62 characters',
    expiresAt: 'Additive: `expiresAt`, `scopes`',
    scopes: "all that the owner's current role may do",
    member: "a member's token gets 403 on capture, cancel, refund",
    rotate: '`POST /v1/api-tokens/{id}/rotate { overlapSeconds: 0..604800 }`',
    owner: 'The owner of a token must still be a member of the client',
  }),
  ...ruleSet('Contract §8', {
    order: 'Order of discounts',
    rounding: 'rounding (half up, per line)',
    sum: 'and the sum are part of the answer in `totals`',
  }),
  ...ruleSet('Contract §10', {
    client: 'Per client 100 requests/s overall',
    money: 'capture, cancel and refund 50/s with bursts of 100',
    'process a minute': 'process 6 a minute',
    'process an hour': '20 an hour, then 30 min pause',
    'tokens an hour': '60 tokens created an hour',
    'session create': 'session create without credential 120/min',
    'session token': 'wrong session token 10/min',
    basic: 'failed Basic 20/min, after which failures get 429 and a right credential still passes',
    headers: '429 with `Retry-After` and `RateLimit-*`',
    body: 'Bodies up to 64 kB',
  }),
];
