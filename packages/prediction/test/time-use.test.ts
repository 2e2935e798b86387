import { expect, test } from 'vitest';
import { TimeUse } from '../src/time-use.ts';

/** Records CTAs of ranks 0, 1 and 1, with waits that flows between them end. */
function recorded(): TimeUse {
  const use = new TimeUse();
  const [zero, one, other] = [0, 1, 1].map((rank, order) => use.openTrack(rank, { kind: 'cta', name: 'CTA', order }));
  if (zero === undefined || one === undefined || other === undefined) throw new Error('three tracks');
  const wait = (track: number, start: number, end: number): void =>
    use.slice(track, { name: 'wait', category: 'wait', start, end });
  const arrive = (from: number, to: number, time: number): void =>
    use.finish(use.flow('store', { track: from, time: 0 }), { track: to, time });
  wait(one, 0, 10);
  wait(one, 20, 25);
  wait(one, 30, 90);
  wait(other, 0, 14);
  wait(zero, 0, 12);
  use.slice(zero, { name: 'compute', category: 'compute', start: 12, end: 100 });
  arrive(zero, one, 10);
  arrive(zero, one, 25);
  arrive(other, one, 90); // of the same rank
  arrive(zero, other, 14);
  arrive(one, zero, 12);
  arrive(one, zero, 100); // ends no wait
  return use;
}

test('the longest wait is the sum of the waits of one CTA for one rank', () => {
  expect(recorded().longestWait).toEqual({ rank: 1, for: 0, nanoseconds: 15 });
  expect(new TimeUse().longestWait).toBeUndefined();
});

test('the time ends with the last slice, or where open slices are cut off', () => {
  const use = recorded();
  expect(use.latest).toBe(100);
  use.cut(200);
  expect(use.latest).toBe(100);
  use.begin(0, { name: 'kernel', category: 'launch', start: 110 });
  expect(use.latest).toBe(110);
  use.cut(200);
  expect([use.latest, use.build().end]).toEqual([200, 200]);
});

test('a track of the network counts as use of the network', () => {
  const use = recorded();
  expect(use.usesNetwork).toBe(false);
  use.openTrack(0, { kind: 'network', name: 'context 0 to rank 1' });
  expect(use.usesNetwork).toBe(true);
});
