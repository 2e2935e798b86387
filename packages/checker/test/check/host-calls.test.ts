import { runInThisContext } from 'node:vm';
import { check } from '@nccl-ts/checker';
import { World, type Communicator, type Window } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { renderReport } from '@nccl-ts/findings';
import { kernel, provideAuthorText, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { afterEach, expect, test } from 'vitest';

const file = 'page.ts';
const url = 'blob:http://page/1';
const ran = `(async (comm, win, launch) => {
  if (comm.rank === 1) await win.write(new Uint32Array(4));
  await launch();
  const all = await win.read();
  return all[0];
})`;
type Host = (comm: Communicator, win: Window<'u32'>, launch: () => Promise<void>) => Promise<unknown>;

/** Rank 0 stores into the memory of rank 1, whose host waits for its own kernel only. */
const tell = kernel(
  { name: 'tell', use: { lsa }, params: { win: window, rank: u32 } },
  ({ lsa, u32 }, { win, rank }) => {
    if (rank === 0) lsa.pointer(win, u32, 0, 1).store(0, 7);
  },
);

let provided: Disposable | undefined;
afterEach(() => provided?.[Symbol.dispose]());

async function hostLabels(strategy: 'random' | 'exhaustive'): Promise<{ labels: readonly unknown[]; text: string }> {
  const report = await check({ ranks: 2, strategy }, async (backend) => {
    await using world = await World.open({ backend });
    const host = runInThisContext(ran, { filename: url }) as Host;
    await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      return host(comm, win, async () => comm.launch(tell, { grid: 1, block: 1 }, { win, rank: comm.rank }));
    });
  });
  const labels = report.findings.flatMap((finding) =>
    finding.labels.flatMap(({ agent, does, place }) =>
      agent === 'host'
        ? [`${does}, line ${place?.location?.line}, ${place?.quote.text.slice(place.quote.start, place.quote.end)}`]
        : [],
    ),
  );
  return { labels: labels.toSorted(), text: renderReport(report) };
}

test.for(['random', 'exhaustive'] as const)(
  'findings of an %s check name the lines of host calls',
  async (strategy) => {
    provided = provideAuthorText({ file, ran, url });
    const { labels, text } = await hostLabels(strategy);
    expect(labels).toEqual(['host read, line 4, win.read', 'host write, line 2, win.write']);
    expect(text).toContain('const all = await win.read();');
    expect(text).toMatch(/page\.ts:4:21/);
  },
);

test('a program whose text was not provided has no places of host calls', async () => {
  const { labels } = await hostLabels('random');
  expect(labels).toEqual(['host read, line undefined, undefined', 'host write, line undefined, undefined']);
});
