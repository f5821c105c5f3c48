// What `npm start` prints when it is ready.

export type Block = {
  readonly apiUrl: string;
  readonly checkoutUrl: string;
  readonly cardFormUrl: string;
  readonly sandboxUrl: string;
  /** Address of the dashboard, where the merchant's people see and move money. */
  readonly dashboardUrl: string;
  readonly demoShopUrl: string;
  readonly clientId: string;
  readonly apiToken: string;
  readonly accountUrl: string;
  readonly ownerEmail: string;
  /** Null once the owner has chosen another password. */
  readonly ownerPassword: string | null;
  readonly userId: string;
  readonly productCode: string;
  readonly webhookSecret: string;
  readonly providerSecretKey: string;
  readonly providerPublishableKey: string;
  readonly database: string;
  readonly readyMs: number;
};

/** Facts that only the printed block contains. */
export type BlockFacts = {
  readonly folder: string;
  /** The flag by which commands address this folder; empty for the default folder. */
  readonly dataFlag: string;
  /** The folders to remove for a fresh start. */
  readonly folders: readonly string[];
  readonly version: string;
  readonly isColour: boolean;
};

/** Returns the block for people, within 80 columns if the addresses allow it. */
export function printBlock(block: Block, facts: BlockFacts): string {
  const bold = (text: string) => (facts.isColour ? `\x1b[1m${text}\x1b[0m` : text);
  const dim = (text: string) => (facts.isColour ? `\x1b[2m${text}\x1b[0m` : text);
  const green = (text: string) => (facts.isColour ? `\x1b[32m${text}\x1b[0m` : text);
  const row = (name: string, value: string, note: string) =>
    `  ${name.padEnd(13)}${bold(value.padEnd(32))} ${dim(note)}`.trimEnd();
  const seconds = (block.readyMs / 1000).toFixed(1);
  return [
    '',
    `  ${bold(`svc ${facts.version}`)}   sandbox   ${green(`ready in ${seconds} s`)}`,
    `  ${dim(`data: ${facts.folder}  (${block.database})`)}`,
    '',
    row('Demo shop', block.demoShopUrl, 'buy something with 4242 4242 4242 4242'),
    row('API', `${block.apiUrl}/v1`, 'reference: /docs   guides: /guides'),
    row('Card form', block.cardFormUrl, 'a separate origin, for security'),
    row('Sandbox', block.sandboxUrl, 'the card provider: clock, faults, ledger'),
    row('Dashboard', block.dashboardUrl, 'payments, refunds, holds; sign in as below'),
    row('Account', block.accountUrl, 'your own password, passkeys and sign-ins'),
    row('Webhooks', `${block.demoShopUrl}/webhooks`, 'deliveries that the shop verified'),
    '',
    `  Client id    ${block.clientId}`,
    `  API token    ${block.apiToken}`,
    `  Sign in      ${block.ownerEmail} / ${block.ownerPassword ?? 'the password that you chose'}`,
    '',
    `  Try next     curl -u ${block.clientId}:${block.apiToken} \\`,
    `                 ${block.apiUrl}/v1/payments`,
    `               npm run -s svc -- trigger item.purchased${facts.dataFlag}   (also: listen --forward-to URL${facts.dataFlag})`,
    `  Stop         Ctrl-C        Start afresh   remove ${facts.folders.join(' and ')}`,
    '',
  ].join('\n');
}
