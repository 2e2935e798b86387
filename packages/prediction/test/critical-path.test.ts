import { expect, test } from 'vitest';
import { CriticalPath } from '../src/critical-path.ts';

/** Rank 1 waits for a store of rank 0, whose CTA began later. Rank 0 had a launch before. */
function recorded(): CriticalPath {
  const path = new CriticalPath();
  path.track(0, 0);
  path.track(1, 1);
  path.launch(0, 'first', 10, 30);
  path.slice(0, { start: 10, end: 30, kind: 'compute', name: '', at: 'a.cu:1' });
  path.launch(0, 'second', 40, 60);
  path.slice(0, { start: 40, end: 60, kind: 'compute', name: '', at: 'a.cu:2' });
  path.launch(1, 'second', 35, 90);
  path.slice(1, { start: 35, end: 50, kind: 'compute', name: '', at: 'a.cu:3' });
  path.slice(1, { start: 50, end: 80, kind: 'wait', name: 'wait', at: 'a.cu:4' });
  path.slice(1, { start: 80, end: 90, kind: 'compute', name: '', at: 'a.cu:5' });
  path.cause({ track: 1, time: 80 }, { track: 0, time: 55 });
  return path;
}

test('the path goes on at the store that ended a wait, and its parts add up to the time', () => {
  const parts = recorded().parts();
  expect(parts).toEqual([
    { kind: 'wait', name: 'wait', at: 'a.cu:4', nanoseconds: 25 },
    { kind: 'compute', name: '', at: 'a.cu:1', nanoseconds: 20 },
    { kind: 'compute', name: '', at: 'a.cu:2', nanoseconds: 15 },
    { kind: 'compute', name: '', at: 'a.cu:5', nanoseconds: 10 },
    { kind: 'launch', name: 'second', at: '', nanoseconds: 10 },
    { kind: 'launch', name: 'first', at: '', nanoseconds: 10 },
  ]);
  expect(parts.reduce((sum, { nanoseconds }) => sum + nanoseconds, 0)).toBe(90);
});

test('a wait that a store from before it ended is spent where it is', () => {
  const path = new CriticalPath();
  path.track(0, 0);
  path.launch(0, 'only', 0, 20);
  path.slice(0, { start: 0, end: 20, kind: 'wait', name: 'wait', at: 'a.cu:1' });
  expect(path.parts()).toEqual([{ kind: 'wait', name: 'wait', at: 'a.cu:1', nanoseconds: 20 }]);
  expect(new CriticalPath().parts()).toEqual([]);
});
