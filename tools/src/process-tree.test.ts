// Which processes count as started by another one. The numbers of processes are used again, which no test can
// bring about on the machine, so the table of processes is written here.

import { expect, it } from 'vitest';
import { processTree, type RunningProcess } from './process-tree.ts';

const first = 100;
const keeper = 101;

function aMachine() {
  const running = new Map<number, RunningProcess>([
    [first, { birth: 'f', parent: 1, group: first }],
  ]);
  let births = 0;
  const tree = processTree(first, keeper, {
    pids: () => [...running.keys()],
    read: (pid) => running.get(pid),
    birth: (pid) => running.get(pid)?.birth,
    areBirthsCheap: true,
  });
  return {
    start(pid: number, parent: number, group = pid): void {
      births += 1;
      running.set(pid, { birth: `b${births}`, parent, group });
    },
    end(pid: number): void {
      running.delete(pid);
      for (const [child, known] of running) {
        if (known.parent === pid) running.set(child, { ...known, parent: 1 });
      }
    },
    look(): number[] {
      tree.look();
      return tree.living().sort();
    },
  };
}

it('children, their children, and those whose parent has ended', () => {
  const { start, end, look } = aMachine();
  start(102, first);
  start(103, 102);
  expect(look()).toEqual([102, 103]);
  end(102);
  start(104, 103);
  expect(look()).toEqual([103, 104]);
});

it('members of a group whose first process has ended', () => {
  const { start, end, look } = aMachine();
  start(102, first);
  start(103, 102, 102);
  expect(look()).toEqual([102, 103]);
  end(102);
  expect(look()).toEqual([103]);
  start(104, 1, 102);
  expect(look()).toEqual([103, 104]);
});

it('not the keeper and its children, nor what was there before', () => {
  const { start, look } = aMachine();
  start(90, 1);
  start(keeper, first);
  start(102, keeper);
  expect(look()).toEqual([]);
});

it('not a stranger with the number of a process that has ended, nor the stranger’s children', () => {
  const { start, end, look } = aMachine();
  start(102, first);
  start(103, first);
  expect(look()).toEqual([102, 103]);
  end(102);
  expect(look()).toEqual([103]);
  start(102, 90);
  start(104, 102);
  expect(look()).toEqual([103]);
  // Both between two looks.
  end(103);
  start(103, 90);
  start(105, 103);
  expect(look()).toEqual([]);
});

it('not a group of strangers whose first process took over a number, and has ended', () => {
  const { start, end, look } = aMachine();
  start(102, first);
  expect(look()).toEqual([102]);
  end(102);
  expect(look()).toEqual([]);
  start(102, 90);
  start(104, 102, 102);
  end(102);
  expect(look()).toEqual([]);
});
