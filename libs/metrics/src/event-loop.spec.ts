import { watchEventLoop } from './event-loop';

let told: number[];
let stop: () => void;
beforeEach(() => {
  told = [];
  stop = watchEventLoop((heldMs) => told.push(heldMs));
});
afterEach(() => stop());

/** Until what came before has been judged. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 200));

function compute(ms: number): void {
  const usedMs = () => (({ user, system }) => (user + system) / 1_000)(process.cpuUsage());
  for (const until = usedMs() + ms; usedMs() < until;) for (let i = 0; i < 1e5; i += 1) Math.sqrt(i);
}

it('a turn that computes is told', async () => {
  await pause();
  compute(400);
  await pause();
  expect(told.some((heldMs) => heldMs > 200)).toBe(true);
}, 60_000);

it('a machine that has no time for this process is told to nobody', async () => {
  await pause();
  // As good as that: time passes, and the thread gets none of it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  await pause();
  expect(told.filter((heldMs) => heldMs > 200)).toEqual([]);
}, 60_000);
