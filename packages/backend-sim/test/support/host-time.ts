/** The CPU time within which a host must be able to end a run, in milliseconds. */
const BAR_MILLISECONDS = 100;

/**
 * Waits for `running`, which fails when `end` runs in the event loop. Throws another error if that
 * takes too long. It measures what a thread of `threads` computes meanwhile, so other processes
 * have no effect.
 */
export async function endsSoon(running: Promise<unknown>, threads: number, end: () => void): Promise<void> {
  const begun = process.cpuUsage();
  setTimeout(end, 1);
  try {
    await running;
  } finally {
    const { user, system } = process.cpuUsage(begun);
    const time = (user + system) / 1000 / threads;
    // oxlint-disable-next-line no-unsafe-finally -- it is worse than the other
    if (time > BAR_MILLISECONDS) throw new Error(`It took ${time} ms.`);
  }
}
