// The shop's settings, all from the environment, all problems named at once.

export type Config = {
  readonly host: string;
  readonly port: number;
  readonly apiUrl: string;
  readonly checkoutUrl: string;
  readonly clientId: string;
  readonly apiToken: string;
  readonly providerSecretKey: string;
  readonly webhookSecret: string;
  /** The demo buyer. A real shop has its own accounts. */
  readonly buyer: { readonly userId: string; readonly email: string };
  /** File that keeps orders and deliveries over a restart; without it they live in memory. */
  readonly file: string | undefined;
};

const required = [
  'SVC_API_URL',
  'SVC_CHECKOUT_URL',
  'SVC_CLIENT_ID',
  'SVC_API_TOKEN',
  'SVC_PROVIDER_SECRET_KEY',
  'SVC_WEBHOOK_SECRET',
  'SVC_USER_ID',
] as const;

/** Reads the environment, or throws an Error whose lines say what is missing or wrong. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = required
    .filter((name) => !env[name])
    .map((name) => `${name} is missing`);
  for (const name of ['SVC_API_URL', 'SVC_CHECKOUT_URL'] as const) {
    const value = env[name];
    if (value && !(URL.canParse(value) && /^https?:/.test(value))) {
      problems.push(`${name} is not an http or https address`);
    }
  }
  if (env.SVC_WEBHOOK_SECRET && !env.SVC_WEBHOOK_SECRET.startsWith('svc_whsec_')) {
    problems.push('SVC_WEBHOOK_SECRET does not start with svc_whsec_');
  }
  const port = Number(env.PORT || 4003);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) problems.push('PORT is not a port');
  if (problems.length > 0)
    throw new Error(`The demo shop cannot start:\n- ${problems.join('\n- ')}`);
  const value = (name: (typeof required)[number]): string => env[name] ?? '';
  return {
    host: env.HOST || '127.0.0.1',
    port,
    apiUrl: value('SVC_API_URL'),
    checkoutUrl: value('SVC_CHECKOUT_URL'),
    clientId: value('SVC_CLIENT_ID'),
    apiToken: value('SVC_API_TOKEN'),
    providerSecretKey: value('SVC_PROVIDER_SECRET_KEY'),
    webhookSecret: value('SVC_WEBHOOK_SECRET'),
    buyer: { userId: value('SVC_USER_ID'), email: env.SVC_USER_EMAIL || 'ada@example.com' },
    file: env.DATA || undefined,
  };
}
