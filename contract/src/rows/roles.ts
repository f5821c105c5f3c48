// Who may do what at a merchant. This table is the only source: the rows of the contract name its
// permissions, the service decides by it, the pages show it, and `GET /v1/account/memberships`
// serves it. A new role is added here and in the check constraint of the database. Additions §6,
// Roles.

/** A person has exactly one role at a merchant; roles are not combined. */
const table = {
  owner: {
    plural: 'owners',
    name: 'Owner',
    meaning: 'Owners may do everything, also make and remove owners.',
  },
  admin: {
    plural: 'admins',
    name: 'Admin',
    meaning: 'Admins may do everything but what concerns owners.',
  },
  member: {
    plural: 'members',
    name: 'Member',
    meaning: 'Members may look at things and prepare them, and move no money.',
  },
  finance: {
    plural: 'finance',
    name: 'Finance',
    meaning: 'Finance reads, refunds within the rule, and sees reports and the audit log.',
  },
  support: {
    plural: 'support',
    name: 'Support',
    meaning: 'Support reads, helps customers, and refunds within the rule.',
  },
  viewer: {
    plural: 'viewers',
    name: 'Viewer',
    meaning: 'Viewers look at payments and customers, and change nothing.',
  },
} as const;

export type Role = keyof typeof table;
/** From the highest role to the lowest. */
export const roles: readonly Role[] = Object.keys(table) as Role[];

export type RoleWords = {
  readonly name: string;
  readonly plural: string;
  readonly meaning: string;
};
export const roleWords: Readonly<Record<Role, RoleWords>> = table;

const leaders = ['owner', 'admin'] as const;
const programs = [...leaders, 'member'] as const;
const helpers = [...programs, 'finance', 'support'] as const;
const refunders = [...leaders, 'finance', 'support'] as const;
const everybody = [...helpers, 'viewer'] as const;

/** The permissions, each with the roles that hold it. */
const holders = {
  /**
   * Reading payments, customers, disputes, subscriptions, cards, events, notes, catalog and
   * settings.
   */
  'records.read': everybody,
  'notes.write': helpers,
  /** Deleting another person's note. */
  'notes.clear': leaders,
  /** Making and changing views of lists that everyone at the merchant sees. */
  'views.share': leaders,
  /** Changing customers, and making links to their own pages. */
  'customers.write': helpers,
  /** Blanking what is stored of a customer, for good. */
  'customers.forget': leaders,
  'checkout.write': programs,
  /** Setting prices other than the catalog's, and vouching for buyers. Contract §6, Sessions. */
  'checkout.vouch': leaders,
  /** Capturing and releasing holds. Spec: Authentication 3. */
  'holds.end': leaders,
  /** Making refunds, and asking somebody to approve one. */
  'refunds.make': refunders,
  /** Making refunds without the limits of the merchant's rule. */
  'refunds.unbounded': leaders,
  /** Approving refunds that somebody else asked for; finance only when the rule permits it. */
  'refunds.approve': [...leaders, 'finance'],
  'subscriptions.cancel': [...leaders, 'support'],
  /** Letting a customer save a card: setup sessions, and the customer's own page. */
  'cards.add': [...programs, 'support'],
  /** Removing saved cards. Spec: Authentication 4 permits it to every token of the merchant. */
  'cards.remove': [...programs, 'support'],
  'catalog.write': leaders,
  /** Reading and testing webhook endpoints and the tester, and sending deliveries again. */
  'developers.use': programs,
  'developers.write': leaders,
  /** Moving a sandbox's clock, planting faults and playing the bank; nothing in the other modes. */
  'sandbox.use': programs,
  /** Managing one's own API tokens, and giving consent to applications. */
  'tokens.own': programs,
  /** Managing members, invitations and applications. */
  'people.write': leaders,
  /** Making, changing and removing owners. */
  'owners.write': ['owner'],
  'settings.write': leaders,
  'audit.read': [...leaders, 'finance'],
  'months.close': [...leaders, 'finance'],
  /** Exporting files of more than 1 000 rows. */
  'exports.large': [...leaders, 'finance'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type Permission = keyof typeof holders;

/** Returns the roles that hold the permission, the highest first. */
export const rolesWith = (permission: Permission): readonly Role[] =>
  roles.filter((role) => may(role, permission));

/** Returns whether the role holds the permission; false for an unknown role or permission. */
export const may = (role: string | null | undefined, permission: Permission): boolean =>
  Object.hasOwn(holders, permission) &&
  (holders[permission] as readonly string[]).some((holder) => holder === role);

export const permissions: readonly Permission[] = Object.keys(holders) as Permission[];

export const permissionsOf = (role: Role): Permission[] =>
  permissions.filter((permission) => may(role, permission));

const list = (words: readonly string[], last: 'or' | 'and'): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** Returns for example "owner or admin", the roles that a permission requires, for a sentence. */
export const holdersInWords = (permission: Permission): string => list(rolesWith(permission), 'or');

/** Returns for example "Only owners and admins", as the pages write it. */
export const describeHolders = (permission: Permission): string => {
  const names = rolesWith(permission).map((role) => roleWords[role].plural);
  return `Only ${list(names, 'and')}`;
};

/** Whether the role may approve refunds: finance only where the merchant's refund rule says so. */
export const mayApproveRefunds = (
  role: Role,
  rule: { readonly financeApproves: boolean },
): boolean => may(role, 'refunds.approve') && (role !== 'finance' || rule.financeApproves);
