import { describe, expect, it } from 'vitest';
import { restWhileWaiting } from '../../src/gpu/rest-while-waiting.ts';

/** Turns of the event loop in a while. */
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
    // Each takes 0.2 ms and more: busy machines make it fewer, never more.
    expect(await turnsIn(40)).toBeLessThanOrEqual(201);
    expect(process.getActiveResourcesInfo()).toContain('Immediate');
    goOn[1]?.();
    await turnsIn(1);
    // Nothing keeps it turning.
    expect(process.getActiveResourcesInfo()).not.toContain('Immediate');
  });
});
