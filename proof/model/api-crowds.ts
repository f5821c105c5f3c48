// Two callers at once. Two equal requests get the same response. Of a capture and a cancellation
// one wins, and both responses must fit into one order (checker 3).

import type { Reply } from './api-fixture.ts';
import type { ApiScenario } from './api-scenario.ts';
import { judgeShape } from './api-shape.ts';
import { isLinearizable, type SeenCall } from './linearizable.ts';
import type { MoveRequest } from './reference.ts';
import { applyWord } from './settle.ts';

/** Sends the same request twice at once, under a new key. */
export async function sendTwins(
  scenario: ApiScenario,
  kind: 'capture' | 'cancel',
  index: number,
): Promise<void> {
  const purchaseId = scenario.pick(index);
  if (!purchaseId) return;
  scenario.tick();
  const key = scenario.newId('twin');
  const call = scenario.newCall({ kind, purchaseId, key, body: '{}', amount: null });
  const begun = scenario.model.begin(call);
  const replies = await Promise.all([scenario.send(call), scenario.send(call)]);
  if (begun.go === 'answer') {
    for (const reply of replies) scenario.judge(call, reply, begun.answer);
    return;
  }
  if (begun.go === 'wait') throw new Error('a new key waits for nobody');
  const { work } = begun;
  const word = scenario.wordOf(work, 'through');
  const answer = applyWord(scenario.model, work, { epoch: work.epoch, word, deadline: null });
  const isReplay = ({ headers }: Reply) => headers['idempotent-replayed'] === 'true';
  scenario.same(
    'replays among twins',
    replies.filter(isReplay).length,
    answer?.status === 200 ? 1 : replies.filter(isReplay).length,
  );
  scenario.count(`twins ${answer?.code ?? answer?.status}`);
  for (const reply of replies) {
    if (answer) scenario.judge(call, reply, { ...answer, isReplayed: isReplay(reply) });
  }
  if (answer?.status === 200) scenario.same('twins', replies[0]?.text, replies[1]?.text);
}

/** Sends a capture and a cancellation at once, under new keys. */
export async function race(scenario: ApiScenario, index: number): Promise<void> {
  const purchaseId = scenario.pick(index);
  if (!purchaseId) return;
  scenario.tick();
  const purchase = scenario.model.purchase(purchaseId);
  const isLive = scenario.model.now < (purchase.expiresAt ?? 0);
  const isThere = scenario.provider.intent(purchaseId).state === 'held';
  if (purchase.status !== 'authorized' || !isLive || !isThere) return;
  // The first request usually wins, so the order is random.
  const kinds: ('capture' | 'cancel')[] = ['capture', 'cancel'];
  if (index % 2 === 0) kinds.reverse();
  const calls = kinds.map((kind) =>
    scenario.newCall({ kind, purchaseId, key: scenario.newId('race'), body: '{}', amount: null }),
  );
  const history: SeenCall[] = [];
  const replies = await Promise.all(
    calls.map(async (call) => {
      const calledAt = performance.now();
      const reply = await scenario.send(call);
      history.push(seenCallOf(call, reply, { calledAt, answeredAt: performance.now() }));
      return reply;
    }),
  );
  const start = { amount: purchase.amount, status: 'authorized' } as const;
  scenario.same('a race has an order', isLinearizable(history, start), true);
  const winner = replies.findIndex(({ status }) => status === 200);
  scenario.same('a race has a winner', replies.filter(({ status }) => status === 200).length, 1);
  const won = calls[winner] as MoveRequest;
  scenario.count(`race won by ${won.kind}`);
  const begun = scenario.model.begin(won);
  if (begun.go !== 'send') throw new Error('the winner of a race was sent');
  const word = scenario.wordOf(begun.work, 'through');
  const answer = applyWord(scenario.model, begun.work, { epoch: 1, word, deadline: null });
  if (answer) scenario.judge(won, replies[winner] as Reply, answer);
  const loser = replies[1 - winner] as Reply;
  scenario.count(`race lost with ${String(loser.body.code)}`);
  scenario.same('the loser', loser.status, 409);
  judgeShape(scenario, loser);
}

const seenCallOf = (
  { kind, key }: MoveRequest,
  { status, body }: Reply,
  at: { calledAt: number; answeredAt: number },
): SeenCall => ({
  kind,
  key,
  ...at,
  answer: {
    status,
    code: typeof body.code === 'string' ? body.code : null,
    shown: status === 200 ? String(body.status) : null,
  },
});
