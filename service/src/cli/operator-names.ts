/** Commands that work on the service's own database or keys, in the order of the help. */
export const operatorNames = [
  'audit',
  'audit-log',
  'reconcile',
  'operations',
  'show',
  'import-products',
  'clients',
  'customers',
  'keys',
  'migrate',
  'upgrade',
  'backup',
  'restore',
  'retention',
  'bench',
  'break',
  'doctor',
  'gateways',
  'installation',
  'people',
  'tokens',
  'mails',
] as const;

export type OperatorName = (typeof operatorNames)[number];
