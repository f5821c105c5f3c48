// What the kit needs of a shop, so that one table of cases (cases.ts) runs on every shop and on each of its
// plugins. An adapter drives the real shop by its own HTTP interfaces, as storefront, buyer and admin do. It judges
// nothing: cases.ts compares the shop's books with the provider's ledger.

/** Whose plugin takes the money: ours, or the one that the shop brings for the card provider. */
export type Plugin = 'svc' | 'built-in';

/** A shop from npm. Each adapter is one file, listed in main.ts. */
export type ShopAdapter = {
  readonly name: 'medusa' | 'vendure';
  /** What is installed from npm, by exact version; the built-in plugin with it. Kept under .cache/shops. */
  readonly packages: Readonly<Record<string, string>>;
  /** Builds our plugin into a folder, as npm would install it. */
  buildPlugin(folder: string): Promise<void>;
  /** The path at which the plugin takes webhooks. */
  webhookPath(plugin: Plugin): string;
  /**
   * Writes the shop's configuration into `place.folder`, prepares the empty database, starts the shop, and sets up
   * what all cases share: channel or region of each currency (`currencies`), a product, shipping without a price.
   * Tax is off, so that a cart costs what `createCart` says. Payments are held when an order is placed.
   */
  open(place: Place): Promise<Shop>;
};

export const currencies = ['EUR', 'JPY', 'KWD'] as const;
export type Currency = (typeof currencies)[number];

/** What a shop is started with. The addresses lead through proxies, by which the kit loses answers. */
export type Place = {
  readonly plugin: Plugin;
  /** The folder of the installed shop, `@svc/server` and our plugin in its node_modules; the adapter may write to it. */
  readonly folder: string;
  /** The shop listens here, on 127.0.0.1. */
  readonly port: number;
  /** An empty database that belongs to the shop. */
  readonly databaseUrl: string;
  readonly svc: { readonly baseUrl: string; readonly clientId: string; readonly apiToken: string };
  /** The sandbox as the built-in plugin reaches it. */
  readonly provider: {
    readonly baseUrl: string;
    readonly secretKey: string;
    readonly publishableKey: string;
  };
  /** Of the endpoint that the kit has made for `webhookPath`, at Svc or at the provider. */
  readonly webhookSecret: string;
};

/** What the storefront gets for the buyer's browser, with which the kit pays by a test card. */
export type Payable =
  | { readonly kind: 'svc'; readonly sessionId: string; readonly nonce: string }
  | { readonly kind: 'built-in'; readonly clientSecret: string };

/** What a press came to. A refusal, and a connection that ended (status 0), are answers, never exceptions. */
export type Said = { readonly status: number; readonly text: string };

/** What the shop's admin shows of a cart, read afresh. Amounts in major units. */
export type Books = {
  /** Null while there is no order. */
  readonly orderId: string | null;
  readonly total: number;
  readonly captured: number;
  /** What counts as given back; a refund that is pending or failed does not. */
  readonly refunded: number;
  /** The shop's own words for order and payment: 'pending, authorized'. */
  readonly state: string;
};

/** A shop that runs. Calls at once are made at once: two tabs and double presses depend on it. */
export type Shop = {
  /** A cart of a guest with one product for this amount, addressed and shipped. Returns its id. */
  createCart(wanted: { readonly currency: Currency; readonly amount: number }): Promise<string>;
  /** Adds for so much more to the cart, as a second tab of the buyer does. */
  addToCart(cart: string, amount: number): Promise<void>;
  /** The buyer chooses the plugin's method: again after a change, as the shop's own storefront does. */
  startPayment(cart: string): Promise<Payable>;
  /** The storefront's confirmation, after the buyer has paid: the order is placed or refused. */
  placeOrder(cart: string): Promise<Said>;
  /** One press of the merchant in the admin, without repeats of the adapter's own. */
  capture(cart: string): Promise<Said>;
  /** Looks up what the press needs to know, as the admin has done when it shows the order; returns the press. */
  openCapture(cart: string): Promise<() => Promise<Said>>;
  refund(cart: string, amount: number): Promise<Said>;
  books(cart: string): Promise<Books>;
  /** Ends the shop by SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on the same port and database; resolves when it answers. */
  start(): Promise<void>;
  /** Everything that the shop has logged. */
  log(): string;
  /** Ends it in order. Repeatable. */
  close(): Promise<void>;
};
