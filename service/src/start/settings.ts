// All settings of the service, in one table: meaning, default, parser. Validation, `.env.example`
// and the warning about misspelt names come from it.

import { modes } from '@svc/contract/servers/modes';
import { logLevels } from '../http/wire/log.ts';

import {
  address,
  choice,
  database,
  days,
  integer,
  key,
  keys,
  limit,
  networks,
  sender,
  smtp,
  text,
  url,
  webhookSecret,
} from './setting-kinds.ts';

export const settings = {
  mode: choice(modes, {
    name: 'SVC_MODE',
    fallback: 'sandbox',
    doc: 'sandbox: stand-ins of the providers; test: the real card provider with its test keys; live: real money. The first start stores it with the database.',
  }),
  host: text({
    name: 'SVC_HOST',
    fallback: 'localhost',
    doc: 'Where to listen; localhost means all its addresses.',
  }),
  port: integer({
    name: 'SVC_PORT',
    fallback: '4000',
    min: 0,
    max: 65_535,
    doc: 'Port to listen on; 0 takes a free one.',
  }),
  baseUrl: url({
    name: 'SVC_BASE_URL',
    doc: 'Public address of the API. Default: http://localhost:<SVC_PORT>.',
  }),
  checkoutUrl: url({
    name: 'SVC_CHECKOUT_URL',
    doc: 'Public address of the checkout pages. Default: SVC_BASE_URL.',
  }),
  databaseUrl: database({
    name: 'DATABASE_URL',
    isRequired: true,
    isSecret: true,
    doc: 'PostgreSQL 14 or later, as the role that serves requests.',
  }),
  databaseReadUrl: database({
    name: 'DATABASE_READ_URL',
    isSecret: true,
    doc: 'A standby of the same database, as the role of DATABASE_URL: totals and reports are read there while it is at most a minute behind.',
  }),
  databaseOwnerUrl: database({
    name: 'DATABASE_OWNER_URL',
    isSecret: true,
    doc: 'The same database as the role that owns its tables; migrations run with it. Default: DATABASE_URL.',
  }),
  processes: integer({
    name: 'SVC_PROCESSES',
    fallback: '1',
    min: 1,
    max: 64,
    doc: 'Processes behind the port, each with its own connections and counters of rate limits; one for each core serves most.',
  }),
  poolSize: integer({
    name: 'SVC_POOL_SIZE',
    fallback: '10',
    min: 1,
    max: 500,
    doc: 'Database connections for transactions.',
  }),
  key: key({
    name: 'SVC_KEY',
    isRequired: true,
    isSecret: true,
    doc: 'Key that wraps the keys of secrets at rest. Make one with: openssl rand -base64 32.',
  }),
  formerKeys: keys({
    name: 'SVC_FORMER_KEYS',
    isSecret: true,
    doc: 'Previous values of SVC_KEY. They only decrypt; nothing new is encrypted with them. Set them while SVC_KEY is being replaced.',
  }),
  vaultSharedKey: key({
    name: 'SVC_VAULT_SHARED_KEY',
    isRequired: true,
    isSecret: true,
    doc: 'Signs what service and vault say to each other; the same as VAULT_SHARED_KEY.',
  }),
  vaultOrigin: url({
    name: 'SVC_VAULT_ORIGIN',
    isRequired: true,
    doc: 'Public origin of the card form.',
  }),
  vaultInternalUrl: url({
    name: 'SVC_VAULT_INTERNAL_URL',
    isRequired: true,
    doc: 'Where the vault listens for the service.',
  }),
  providerUrl: url({
    name: 'SVC_PROVIDER_URL',
    doc: 'Address of the card provider’s API. Required in sandbox mode. Default in test and live mode: https://api.stripe.com.',
  }),
  walletUrl: url({
    name: 'SVC_WALLET_URL',
    doc: 'Address of the wallet’s API; without one no wallet pays. Default: SVC_PROVIDER_URL in sandbox mode.',
  }),
  sandboxKey: text({
    name: 'SVC_SANDBOX_KEY',
    isSecret: true,
    doc: 'Lets the sandbox move the clock. Sandbox mode only.',
  }),
  webhookAllow: networks({
    name: 'SVC_WEBHOOK_ALLOW',
    doc: 'Private networks that webhooks may be sent to. Default: loopback in sandbox and test mode, none in live mode.',
  }),
  pagesDir: text({
    name: 'SVC_PAGES_DIR',
    doc: 'Folder of the built pages. Default: pages/dist of this project.',
  }),
  leaseMs: integer({
    name: 'SVC_LEASE_MS',
    fallback: '30000',
    min: 1000,
    max: 600_000,
    doc: 'How long the holder of an operation may work on it before another takes over.',
  }),
  smtpUrl: smtp({
    name: 'SVC_SMTP_URL',
    isSecret: true,
    doc: 'Where mails leave: smtps://user:password@host, or smtp:// with STARTTLS. Without it they wait: npm run svc -- mails.',
  }),
  mailFrom: sender({
    name: 'SVC_MAIL_FROM',
    doc: 'Sender of mails, such as Payments <pay@shop.example>. Required with SVC_SMTP_URL.',
  }),
  operatorEmail: address({
    name: 'SVC_OPERATOR_EMAIL',
    doc: 'Whom the service writes to about troubles that no merchant can solve (docs/operating/watching.md). Without it they stand in the log and in svc doctor alone.',
  }),
  alertUrl: url({
    name: 'SVC_ALERT_URL',
    doc: 'Where the service posts troubles that its operator must hear of, signed with SVC_ALERT_SECRET.',
  }),
  alertSecret: webhookSecret({
    name: 'SVC_ALERT_SECRET',
    isSecret: true,
    doc: 'Signs what is posted to SVC_ALERT_URL. Make one with: echo whsec_$(openssl rand -base64 32).',
  }),
  trustedProxies: integer({
    name: 'SVC_TRUSTED_PROXIES',
    fallback: '0',
    min: 0,
    max: 10,
    doc: 'Proxies in front that are trusted to say who calls.',
  }),
  drainDelayMs: integer({
    name: 'SVC_DRAIN_MS',
    min: 0,
    max: 15_000,
    doc: 'From SIGTERM to the end of listening: /readyz says 503 meanwhile, so that a proxy turns away. 5000 in test and live mode, 0 in a sandbox.',
  }),
  metricsPort: integer({
    name: 'SVC_METRICS_PORT',
    min: 0,
    max: 65_535,
    doc: 'Port of /metrics for Prometheus, for your own network only; without one there are no metrics.',
  }),
  metricsHost: text({
    name: 'SVC_METRICS_HOST',
    fallback: '127.0.0.1',
    doc: 'Address on which /metrics is served.',
  }),
  maxInFlight: integer({
    name: 'SVC_MAX_IN_FLIGHT',
    fallback: '1000',
    min: 1,
    max: 100_000,
    doc: 'Requests at once; over it 503 is answered.',
  }),
  shedMs: integer({
    name: 'SVC_SHED_MS',
    fallback: '500',
    min: 0,
    max: 60_000,
    doc: 'How long requests may wait for their turn; while they wait longer, further calls get 503. 0: no such limit.',
  }),
  keepAnswers: days({
    name: 'SVC_KEEP_ANSWERS_DAYS',
    fallback: '90',
    min: 30,
    doc: 'How long the bytes of final answers to captures, cancellations and refunds are kept; later a repeat is answered from the payment.',
  }),
  keepAttempts: days({
    name: 'SVC_KEEP_ATTEMPTS_DAYS',
    fallback: '90',
    min: 30,
    doc: 'How long calls to the provider are kept after the end of their operation, and webhook deliveries with their attempts after theirs.',
  }),
  keepEvents: days({
    name: 'SVC_KEEP_EVENTS_DAYS',
    fallback: '400',
    min: 90,
    doc: 'How long the texts of events are kept, listed and delivered again.',
  }),
  keepNotices: days({
    name: 'SVC_KEEP_NOTICES_DAYS',
    fallback: '90',
    min: 30,
    doc: 'How long notices of the provider are kept once they are read.',
  }),
  keepSessions: days({
    name: 'SVC_KEEP_SESSIONS_DAYS',
    fallback: '30',
    min: 30,
    doc: 'How long checkout sessions are kept that nobody tried to pay.',
  }),
  logLevel: choice(logLevels, {
    name: 'SVC_LOG_LEVEL',
    fallback: 'info',
    doc: 'What is logged, as JSON lines on stderr.',
  }),
  limits: choice(['on', 'off'], {
    name: 'SVC_LIMITS',
    fallback: 'on',
    doc: 'Rate limits, and the pace towards the card provider; off only for benchmarks.',
  }),
  clientPerSecond: limit({
    name: 'SVC_LIMIT_CLIENT',
    fallback: '100',
    doc: 'Requests a second of one client.',
  }),
  moneyPerSecond: limit({
    name: 'SVC_LIMIT_MONEY',
    fallback: '50',
    doc: 'Captures, cancellations and refunds a second of one client.',
  }),
  moneyBurst: limit({ name: 'SVC_LIMIT_MONEY_BURST', fallback: '100', doc: 'The same, at once.' }),
  sessionPerMinute: limit({
    name: 'SVC_LIMIT_SESSION',
    fallback: '60',
    doc: 'Requests a minute of one checkout session, reads apart.',
  }),
  sessionReadsPerMinute: limit({
    name: 'SVC_LIMIT_SESSION_READ',
    fallback: '240',
    doc: 'Reads a minute of one checkout session; they take nothing from its other requests.',
  }),
  processPerMinute: limit({
    name: 'SVC_LIMIT_PROCESS_MINUTE',
    fallback: '6',
    doc: 'Payment attempts a minute of one checkout session.',
  }),
  processPerHour: limit({
    name: 'SVC_LIMIT_PROCESS_HOUR',
    fallback: '20',
    doc: 'Payment attempts an hour of one checkout session.',
  }),
  processPauseMinutes: limit({
    name: 'SVC_LIMIT_PROCESS_PAUSE',
    fallback: '30',
    doc: 'Minutes of pause after that.',
  }),
  sessionDeclines: limit({
    name: 'SVC_LIMIT_SESSION_DECLINES',
    fallback: '5',
    doc: 'Declined cards after which a checkout session takes no further one.',
  }),
  setupsPerHour: limit({
    name: 'SVC_LIMIT_SETUPS',
    fallback: '10',
    doc: 'Sessions an hour that save a card of one customer.',
  }),
  tokensPerHour: limit({
    name: 'SVC_LIMIT_TOKENS',
    fallback: '60',
    doc: 'API tokens that one user may make in an hour, over all merchants.',
  }),
  processPerAddressHour: limit({
    name: 'SVC_LIMIT_PROCESS_ADDRESS',
    doc: 'Payment attempts an hour from one address that did not succeed, over all sessions; left out: 30, in sandbox and test mode 1000.',
  }),
  openPerAddress: limit({
    name: 'SVC_LIMIT_OPEN_ADDRESS',
    fallback: '200',
    doc: 'Requests open at once from one address; behind a proxy set SVC_TRUSTED_PROXIES.',
  }),
  pagesPerMinute: limit({
    name: 'SVC_LIMIT_PAGES',
    fallback: '1200',
    doc: 'Pages, files and unknown paths a minute to one address.',
  }),
  sessionCreatePerMinute: limit({
    name: 'SVC_LIMIT_SESSION_CREATE',
    fallback: '120',
    doc: 'Sessions that one address may create per minute without a credential.',
  }),
  wrongSessionPerMinute: limit({
    name: 'SVC_LIMIT_WRONG_SESSION',
    fallback: '10',
    doc: 'Wrong session tokens a minute from one address.',
  }),
  failedBasicPerMinute: limit({
    name: 'SVC_LIMIT_FAILED_BASIC',
    fallback: '20',
    doc: 'Wrong tokens, passwords and other proofs a minute from one address.',
  }),
  signInPerMinute: limit({
    name: 'SVC_LIMIT_SIGN_IN',
    fallback: '60',
    doc: 'Calls a minute from one address that sign in, or ask for a mailed link.',
  }),
  personPerMinute: limit({
    name: 'SVC_LIMIT_PERSON',
    fallback: '300',
    doc: 'Requests a minute of one signed-in person for their account.',
  }),
} as const;
