import { expect, it } from 'vitest';
import { type Block, printBlock } from './block.ts';

const facts = { folder: '/root/svc/.svc', dataFlag: '', version: '1.0.0', isColour: false };
const urls = { demoShopUrl: '', cardFormUrl: '', sandboxUrl: '', dashboardUrl: '', accountUrl: '' };
const block = { readyMs: 1, ...urls };

it('a start afresh: every folder that has to go is named', () => {
  const folders = [facts.folder, '/var/lib/svc/0123456789ab'];
  expect(printBlock(block as Block, { ...facts, folders })).toContain(
    'Start afresh   remove /root/svc/.svc and /var/lib/svc/0123456789ab\n',
  );
});

it('the command to try next means the folder of this start', () => {
  const printed = (dataFlag: string) =>
    printBlock(block as Block, { ...facts, dataFlag, folders: [facts.folder] });
  expect(printed('')).toContain('svc -- trigger item.purchased   (also:');
  expect(printed(' --data /srv/two')).toContain(
    'svc -- trigger item.purchased --data /srv/two   (',
  );
});
