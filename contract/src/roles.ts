// Who may do what at a merchant: one table, which the rows name, the service decides by, the pages show
// and `GET /v1/account/memberships` serves. A new role stands here and in the check of the database.
// Additions §6, Roles.

/** Roles do not add up: a person has one at a merchant. */
const table = {
  owner: {
    plural: 'owners',
    name: 'Owner',
    article: 'an owner',
    meaning: 'Owners may do everything, also make and remove owners.',
  },
  admin: {
    plural: 'admins',
    name: 'Admin',
    article: 'an admin',
    meaning: 'Admins may do everything but what concerns owners.',
  },
  member: {
    plural: 'members',
    name: 'Member',
    article: 'a member',
    meaning: 'Members may look at things and prepare them, and move no money.',
  },
  finance: {
    plural: 'finance',
    name: 'Finance',
    article: 'a member for finance',
    meaning: 'Finance reads, refunds within the rule, and sees reports and the audit log.',
  },
  support: {
    plural: 'support',
    name: 'Support',
    article: 'a member for support',
    meaning: 'Support reads, helps customers, and refunds within the rule.',
  },
  viewer: {
    plural: 'viewers',
    name: 'Viewer',
    article: 'a viewer',
    meaning: 'Viewers look at payments and customers, and change nothing.',
  },
} as const;

export type Role = keyof typeof table;
/** The highest first. */
export const roles: readonly Role[] = Object.keys(table) as Role[];

export type RoleWords = {
  readonly name: string;
  readonly plural: string;
  /** With its article, as in "you are an owner". */
  readonly article: string;
  readonly meaning: string;
};
export const roleWords: Readonly<Record<Role, RoleWords>> = table;

const leaders = ['owner', 'admin'] as const;
const programs = [...leaders, 'member'] as const;
const helpers = [...programs, 'finance', 'support'] as const;
const refunders = [...leaders, 'finance', 'support'] as const;
const everybody = [...helpers, 'viewer'] as const;

/** What may be done, and by whom. */
const holders = {
  /** Payments, customers, disputes, subscriptions, cards, events, notes, catalog and settings: reading. */
  'records.read': everybody,
  'notes.write': helpers,
  /** Deleting what somebody else wrote. */
  'notes.clear': leaders,
  /** Customers, and the link to their own page. */
  'customers.write': helpers,
  'checkout.write': programs,
  /** Prices other than the catalog's, and buyers who are vouched for. Contract §6, Sessions. */
  'checkout.vouch': leaders,
  /** Capture and release. Spec: Authentication 3. */
  'holds.end': leaders,
  /** Refunds, and asking somebody to approve one. */
  'refunds.make': refunders,
  /** Refunds that the merchant's rule does not bound. */
  'refunds.unbounded': leaders,
  /** Refunds that somebody else asked for; finance only where the rule says so. */
  'refunds.approve': [...leaders, 'finance'],
  'subscriptions.cancel': [...leaders, 'support'],
  /** Spec: Authentication 4 lets in every token of the merchant. */
  'cards.remove': [...programs, 'support'],
  'catalog.write': leaders,
  /** Webhook endpoints, their deliveries and the tester: looking, testing, sending again. */
  'developers.use': programs,
  'developers.write': leaders,
  /** API tokens of one's own, and letting applications in. */
  'tokens.own': programs,
  /** Members, invitations and applications. */
  'people.write': leaders,
  /** Making, changing and removing owners. */
  'owners.write': ['owner'],
  'settings.write': leaders,
  'audit.read': [...leaders, 'finance'],
  'months.close': [...leaders, 'finance'],
  /** Export files of more than 1 000 rows. */
  'exports.large': [...leaders, 'finance'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type Permission = keyof typeof holders;

/** The roles that hold the permission, the highest first. */
export const rolesWith = (permission: Permission): readonly Role[] =>
  roles.filter((role) => may(role, permission));

/** Whether the role holds the permission; an unknown one of either holds nothing. */
export const may = (role: string | null | undefined, permission: Permission): boolean =>
  Object.hasOwn(holders, permission) &&
  (holders[permission] as readonly string[]).some((holder) => holder === role);

export const permissions: readonly Permission[] = Object.keys(holders) as Permission[];

export const permissionsOf = (role: Role): Permission[] =>
  permissions.filter((permission) => may(role, permission));

const list = (words: readonly string[], last: 'or' | 'and'): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** "owner or admin", as sentences name the role that it takes. */
export const holdersInWords = (permission: Permission): string => list(rolesWith(permission), 'or');

/** "Only owners and admins", as pages say it. */
export const onlyHolders = (permission: Permission): string => {
  const names = rolesWith(permission).map((role) => roleWords[role].plural);
  return `Only ${list(names, 'and')}`;
};
