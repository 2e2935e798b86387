/** The milliseconds after which the host has ended what it wants to end. */
const BAR_MILLISECONDS = 100;

/**
 * Waits for `running`, which `end` makes fail as soon as the event loop runs. Throws another error
 * if that takes too long. The time is what a thread of `threads` computes meanwhile: other
 * processes do not change it.
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
