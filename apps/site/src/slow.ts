import type { Page } from 'playwright-core';
import type { SimulatedConnection } from './serve.ts';

/** The preset "Fast 4G" of Chromium's developer tools. */
export const fast4G: SimulatedConnection = { latency: 165, throughput: (9_000_000 / 8) * 0.9 };
/** The factor by which the page's CPU is slowed down. Its workers are not slowed down. */
export const SLOWER = 4;

export async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
}
