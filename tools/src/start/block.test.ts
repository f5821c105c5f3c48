import { expect, it } from 'vitest';
import { type Block, printBlock } from './block.ts';

it('a start afresh: every folder that has to go is named', () => {
  const facts = { folder: '/root/svc/.svc', version: '1.0.0', isColour: false };
  const folders = [facts.folder, '/var/lib/svc/0123456789ab'];
  const block = { readyMs: 1, demoShopUrl: '', cardFormUrl: '', sandboxUrl: '', accountUrl: '' };
  expect(printBlock(block as Block, { ...facts, folders })).toContain(
    'Start afresh   remove /root/svc/.svc and /var/lib/svc/0123456789ab\n',
  );
});
