import { defineListFile, type ListFile } from '../database/cursor.ts';
import { customersBy, textOps } from '../database/list-filters.ts';
import { defineList, type List, type ListTable } from '../database/lists.ts';
import { type CustomerRow, customerColumns } from './customers.ts';

const table: ListTable = {
  name: 'customers.list',
  from: 'customers c',
  columns: customerColumns,
  tenant: 'c.client_id',
  key: { sql: 'c.id', kind: 'uuid' },
  sorts: {
    createdAt: { sql: 'c.created_at', kind: 'instant' },
    updatedAt: { sql: 'c.updated_at', kind: 'instant' },
  },
  filters: {
    id: { sql: 'c.id', kind: 'uuid' },
    externalId: { sql: 'c.external_id', kind: 'text' },
    email: {
      sql: 'c.email',
      kind: 'email',
      beginsWith: (value) =>
        `c.id in ${customersBy('email', 'c.client_id', { values: `array[${value}]`, op: 'startsWith' })}`,
    },
    name: {
      kind: 'text',
      ops: textOps,
      match: (values, { op }) => `c.id in ${customersBy('name', 'c.client_id', { values, op })}`,
    },
    country: { sql: 'c.country', kind: 'text' },
    createdAt: { sql: 'c.created_at', kind: 'instant' },
  },
};

/** Lists one page of the merchant's customers. */
export const listCustomerRows: List<CustomerRow> = defineList(table);

/** The same list as a file. */
export const customerFile: ListFile<CustomerRow> = defineListFile(table);
