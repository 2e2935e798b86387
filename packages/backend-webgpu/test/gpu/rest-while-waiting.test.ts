import { describe, expect, it } from 'vitest';
import { restWhileWaiting } from '../../src/gpu/rest-while-waiting.ts';

/** Returns the number of event loop turns in some time. */
async function turnsIn(milliseconds: number): Promise<number> {
  const end = performance.now() + milliseconds;
  let turns = 0;
  while (performance.now() < end) {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    turns++;
  }
  return turns;
}

describe('restWhileWaiting', () => {
  it('lets the event loop rest in each round until no rank waits', async () => {
    const goOn = [restWhileWaiting(), restWhileWaiting()];
    goOn[0]?.();
    // 20 take 0.2 ms or more, and the others 1 ms or more. Busy machines run fewer, never more.
    expect(await turnsIn(40)).toBeLessThanOrEqual(20 + 36 + 1);
    expect(process.getActiveResourcesInfo()).toContain('Immediate');
    goOn[1]?.();
    await turnsIn(1);
    // Nothing keeps it turning.
    expect(process.getActiveResourcesInfo()).not.toContain('Immediate');
  });
});
