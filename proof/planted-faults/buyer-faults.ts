// Faults in how the merchant's id of a buyer is resolved. docs/decisions/buyers.md.

import type { PlantedFault } from '../planting/planted-fault.ts';

const refused = 'service/src/operations/buyers/buyer-ids-refused.test.ts';
const served = 'service/src/operations/buyers/buyer-ids-served.test.ts';

export const buyerFaults: readonly PlantedFault[] = [
  {
    name: 'who sends the UUID that was made of an id is taken for its customer',
    changes: [
      {
        file: 'service/src/storage/customers/customers.ts',
        from: "return row?.external_id === externalId ? 'attached' : 'of_another_id';",
        to: "return row !== undefined && externalId !== undefined ? 'attached' : 'of_another_id';",
      },
    ],
    suite: refused,
    caughtBy: /it opens nobody’s saved cards/,
  },
  {
    name: 'ids of buyers that are no UUIDs are compared without letter case',
    changes: [
      {
        file: 'service/src/domain/people/buyer-id.ts',
        from: '(isUuid(id) ? id.toLowerCase() : id)',
        to: 'id.toLowerCase()',
      },
    ],
    suite: served,
    caughtBy: /are compared with the id as it was given/,
  },
];
