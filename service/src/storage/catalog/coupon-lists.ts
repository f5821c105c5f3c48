import { defineList, type List } from '../database/lists.ts';
import { type CouponRow, couponColumns } from './coupons.ts';

const key = { sql: 'c.code collate "C"', kind: 'text' } as const;

/** Lists one page of the merchant's coupons. */
export const listCouponRows: List<CouponRow> = defineList({
  name: 'coupons.list',
  from: 'coupons c',
  columns: couponColumns,
  tenant: 'c.client_id',
  key,
  sorts: {
    createdAt: { sql: 'c.created_at', kind: 'instant' },
    updatedAt: { sql: 'c.updated_at', kind: 'instant' },
    code: key,
  },
  filters: {
    code: { sql: 'c.code', kind: 'text' },
    active: { sql: 'c.is_active', kind: 'boolean' },
    createdAt: { sql: 'c.created_at', kind: 'instant' },
  },
});
