import { expect, test } from 'vitest';
import { chromeTrace, checkChromeTrace, createTimelineRecorder, timelineSvg, type Timeline } from '../src/index.ts';

/** Two CTAs of rank 0 store to peers, first one of them and then both. Rank 1 does nothing. */
function stores(): Timeline {
  const recorder = createTimelineRecorder();
  recorder.openProcess(0);
  recorder.openProcess(1);
  const [first, second] = [0, 1].map((order) => recorder.openTrack(0, { kind: 'cta', name: `CTA ${order}`, order }));
  const queue = recorder.openTrack(0, { kind: 'network', name: 'context 0 to rank 1' });
  if (first === undefined || second === undefined) throw new Error('two tracks');
  const compute = (track: number, start: number, end: number, bytes: number): void =>
    recorder.slice(track, { name: 'compute', category: 'compute', start, end, args: { at: 'k.ts:1', stores: bytes } });
  compute(first, 0, 100, 1000);
  compute(first, 200, 400, 4000);
  compute(second, 300, 400, 3000);
  recorder.slice(queue, { name: 'put', category: 'network', start: 50, end: 150, args: { bytes: 5000 } });
  return recorder.build();
}

test('a trace has a counter for each link, whose steps are the bytes per nanosecond', () => {
  const trace = chromeTrace(stores());
  expect(checkChromeTrace(trace)).toEqual([]);
  const counters = trace.traceEvents.flatMap((event) =>
    event.ph === 'C' ? [[event.name, event.pid, event.ts * 1000, event.args['rate']]] : [],
  );
  expect(counters).toEqual([
    ['peer stores, GB/s', 1, 0, 10],
    ['network, GB/s', 1, 50, 50],
    ['peer stores, GB/s', 1, 100, 0],
    ['network, GB/s', 1, 150, 0],
    ['peer stores, GB/s', 1, 200, 20],
    ['peer stores, GB/s', 1, 300, 50],
    ['peer stores, GB/s', 1, 400, 0],
  ]);
});

test('a picture has a curve for each link that a rank uses, with its highest rate and its bytes', () => {
  const svg = timelineSvg(stores());
  expect(svg.match(/class="use"/g)).toHaveLength(2);
  expect(svg).toContain('>peer stores, to 50.0 GB/s</text>');
  expect(svg).toContain('link use: peer stores, 8000 bytes from 0 ns to 400 ns');
});

test('a name that does not fit on its bar is left out, not cut off', () => {
  const recorder = createTimelineRecorder();
  recorder.openProcess(0);
  const track = recorder.openTrack(0, { kind: 'cta', name: 'CTA 0' });
  recorder.slice(track, { name: 'bar.sync', category: 'wait', start: 0, end: 40 });
  recorder.slice(track, { name: 'compute', category: 'compute', start: 40, end: 1000 });
  const svg = timelineSvg(recorder.build());
  expect(svg).toContain('>compute</text>');
  expect(svg).not.toContain('…');
  expect(svg).not.toContain('>bar.sync</text>');
});

test('if there are many arrows, those between ranks show only their ends', () => {
  const recorder = createTimelineRecorder();
  const tracks = [0, 1].map((rank) => {
    recorder.openProcess(rank);
    return recorder.openTrack(rank, { kind: 'cta', name: 'CTA 0' });
  });
  const [from = 0, to = 0] = tracks;
  for (let i = 0; i < 14; i++) {
    recorder.slice(from, { name: 'compute', category: 'compute', start: i * 100, end: i * 100 + 50 });
    recorder.slice(to, { name: 'wait', category: 'wait', start: i * 100, end: i * 100 + 90 });
    const sent = recorder.flow('store', { track: from, time: i * 100 + 50, side: 'ending' });
    recorder.finish(sent, { track: to, time: i * 100 + 90, side: 'ending' });
  }
  const svg = timelineSvg(recorder.build());
  const faint = [...svg.matchAll(/class="flow faint" d="([^"]*)"/g)].map(([, path]) => path);
  expect(faint).toHaveLength(13);
  for (const path of faint) expect(path).toMatch(/^M.*q.*M.*q/);
  expect(svg.match(/class="flow critical" d="M[^M"]*"/g)).toHaveLength(1);
});
